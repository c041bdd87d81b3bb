"""What is said about a motion beside its numbers: its events, its names and settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from gauss.foundation.outcomes import Shown
from gauss.model import System
from gauss.model.rows import Kind
from gauss.model.units import unit_of


@dataclass(frozen=True, repr=False)
class MotionEvent(Shown):
    """Something that happened during a motion.

    A slip is logged where it begins, at the start of a run too if a body that rests on a contact begins to slide there.
    `value` is for an impact the rate at which the gap closed (unit of the gap per s), for an accumulation of impacts
    the ratio of each interval to the one before, for the beginning of slip its direction ±1 (in space the angle from
    the first slip velocity towards the second, rad), for a singular position σ_min.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, restitution=0.5)
    >>> ball = g.System("ball", "z", mass_matrix=[[2]], force=[-2 * 9.81], constraints=[floor])
    >>> event = g.simulate(ball, [1.0], t_end=0.5).events[0]
    >>> event.kind, event.name, round(event.t, 6), round(event.energy_loss, 6)  # √(2h/g), (1 − e²) m g h
    ('impact', 'floor', 0.451524, 14.715)
    """

    t: float  # s
    kind: str  # "impact", "accumulation", "contact", "release", "stick", "slip", "event" or "singular"
    name: str  # of the unilateral row or contact, of the user's event, or of the rows that become dependent
    value: float = 0.0  # see above; 0 for other kinds
    energy_loss: float = 0.0  # J, of an impact, or of those that an accumulation leaves out
    q: tuple[float, ...] = ()  # (n,) the singular position
    verdict: str = ""  # on the singular position; on an impact or a change of contact what else could have happened
    impulse: float = 0.0  # N s, normal impulse of an impact
    friction: float = 0.0  # N s, friction impulse of an impact
    created: float = 0.0  # J, that the law of impact creates, where allow_energy_gain lets it

    def __str__(self) -> str:
        change = f"losing {self.energy_loss:.6g} J"
        if self.energy_loss < 0.0:
            source = "which its law creates" if self.created else "from what moves beneath"
            change = f"taking {-self.energy_loss:.6g} J {source}"
        more = f", the gap closing at {self.value:.6g}/s, {change}" if self.kind == "impact" else ""
        if self.kind == "singular":
            words = f"{self.name} dependent, σ_min {self.value:.2g}"
            return f"singular position at t = {self.t:.12g} s ({self.verdict}): {words}"
        return f"{self.kind} {self.name!r} at t = {self.t:.12g} s{more}"


@dataclass(frozen=True)
class DescribedContact:
    """A frictional contact by the names of its rows."""

    name: str
    load: tuple[str, ...]  # rows that carry it: one, the two of a pin, none with a constant limit
    slip: tuple[str, ...]  # one row in the plane, two in space
    kinetic: float
    static: float

    def __str__(self) -> str:
        load = " and ".join(map(repr, self.load)) or "no row"
        return f"{self.name!r} with {self.kinetic:.12g} in motion and {self.static:.12g} at rest by the load of {load}"


def described_contacts(system: System) -> tuple[DescribedContact, ...]:
    """Return the frictional contacts of a system by the names of their rows."""
    names = system.row_names
    return tuple(
        DescribedContact(c.name, tuple(names[k] for k in c.load), tuple(names[k] for k in c.slip), c.kinetic, c.static)
        for c in system.contacts
    )


@dataclass(frozen=True)
class Description:
    """The names and settings that belong to a trajectory's numbers."""

    system: str
    coordinates: tuple[str, ...]
    rows: tuple[str, ...]
    kinds: tuple[Kind, ...]
    parameters: dict[str, float]
    controls: dict[str, float]  # the constant controls
    feedback: bool  # whether the controls were a function of the state instead, or sampled
    method: str
    solver: str
    rtol: float
    qp_count: int  # how many quadratic programs OSQP (or cvxpy) solved
    has_potential: bool  # whether kinetic plus potential energy is the energy of the model
    contacts: tuple[DescribedContact, ...] = ()  # frictional ones
    locked: int | None = None  # rank of the rows, where the motion stays on a locked position
    step: float = 0.0  # s, of time stepping; 0 for other methods
    redundant: tuple[str, ...] = ()  # rows left out of the steps; the multipliers of all rows are those of least norm
    units: dict[str, str] = field(default_factory=dict)  # declared, by name: of a row that of its function
    sampled: float = 0.0  # s, the period of a sampled control; 0 for others

    def unit(self, name: str) -> str:
        """Return the unit of a coordinate, its velocity (d_) or acceleration (dd_), a parameter, control or multiplier.

        "" where none is declared.
        """
        return unit_of(name, self.units, self.coordinates, self.rows, self.kinds)
