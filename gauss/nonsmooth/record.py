"""`NonsmoothMotion`: states, impulses, energies and certificates of a Scene by time stepping, and its file."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from gauss.errors import FileError, InputError
from gauss.foundation import storage
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.outcomes import Ending, Shown
from gauss.foundation.tolerances import ACCEPTED
from gauss.nonsmooth.contacts import Contacts, pairs_of
from gauss.nonsmooth.world import SceneWorld

FORMAT = "gauss nonsmooth motion 3"
SIGNATURE = b"PK\3\4"  # of a zip archive, as .npz is


@dataclass(frozen=True)
class Sums:
    """What has been exchanged since the last record."""

    dissipated: float = 0.0  # J, by contacts
    correction: float = 0.0  # J
    work: float = 0.0  # J
    residual: float = 0.0  # the largest
    systems: int = 0


@dataclass(frozen=True)
class Entry:
    """One recorded state."""

    t: float
    q: Array
    v: Array
    energies: tuple[float, float]
    sums: Sums
    penetration: float
    contacts: Contacts
    impulses: Array
    held: Array  # of bilateral rows


@dataclass(frozen=True)
class March:
    """Equal steps one after the other."""

    step: float  # s
    every: int  # steps between records
    entries: Sequence[Entry]
    ending: Ending


@dataclass(frozen=True, repr=False)
class Pressing(Shown):
    """The contacts of the step that led to one recorded state; those without an impulse are left out.

    >>> from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, moreau
    >>> scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 0.1))], [HalfPlane()])
    >>> last = moreau(scene, step=1e-2, t_end=0.1).pressing(-1)
    >>> last.pairs, last.normal.round(9).tolist()  # N s: the weight for 10 ms
    ((('stone', 'HalfPlane 0'),), [0.1962])
    """

    pairs: tuple[tuple[str, str], ...]  # (c,) first and second body or obstacle
    normal: Array  # (c,) normal impulses p (N s)
    friction: Array  # (c, d) friction impulses t (N s)
    point: Array  # (c, 2 or 3) m, at the middle of the step
    direction: Array  # (c, 2 or 3) unit normals, from the second to the first


@dataclass(frozen=True, repr=False)
class BodyMotion(Shown):
    """The motion of one body.

    >>> from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, moreau
    >>> scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 1.0))], [HalfPlane()])
    >>> moreau(scene, step=1e-2, t_end=0.2).body("stone").velocity[-1].round(9).tolist()  # m/s: −g t
    [0.0, -1.962]
    """

    position: Array  # (N, 2 or 3) m
    angle: Array  # (N, 1) rad, or (N, 4) unit quaternions (w, x, y, z)
    velocity: Array  # (N, 2 or 3) m/s
    spin: Array  # (N, 1 or 3) rad/s, in space in the body's axes


@dataclass(frozen=True, repr=False)
class NonsmoothMotion(Shown):
    """N recorded states of a Scene. What is exchanged is that of all steps since the record before, at first zero.

    kinetic + potential changes by correction_energy + work − dissipated, to rounding (`balance`); `work` is that of the
    loads.
    """

    name: str
    step: float  # s
    every: int  # steps between records
    bodies: tuple[str, ...]
    others: tuple[str, ...]  # obstacles
    t: Array  # (N,) s
    q: Array  # (N, nq)
    v: Array  # (N, nv)
    kinetic: Array  # (N,) J
    potential: Array  # (N,) J
    dissipated: Array  # (N,) J, by contacts
    correction_energy: Array  # (N,) J, that corrections of positions added
    work: Array  # (N,) J
    penetration: Array  # (N,) largest penetration, as a share of the size of the smaller body
    residual: Array  # (N,) of the contact problems, relative to the rates
    systems: Indices  # (N,) linear systems solved
    first: Indices  # (N + 1,) where the contacts of each record begin
    one: Indices  # (c,) first body
    two: Indices  # (c,) second body or obstacle
    normal: Array  # (c,) N s
    friction: Array  # (c, d) N s
    point: Array  # (c, 2 or 3) m
    direction: Array  # (c, 2 or 3)
    ending: Ending

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy (N,) (J)."""
        return self.kinetic + self.potential

    @property
    def certified(self) -> Flags:
        """Whether all impulses since the record before satisfy the law within 1e-10 of the rates, or their rounding."""
        return self.residual <= ACCEPTED

    @property
    def balance(self) -> float:
        """Largest error of the energy balance of a record (J)."""
        change = np.diff(self.energy)
        booked = (self.correction_energy + self.work - self.dissipated)[1:]
        return float(np.max(np.abs(change - booked), initial=0.0))

    @property
    def contact_count(self) -> Indices:
        """Number of contacts (N,) with an impulse."""
        return np.diff(self.first)

    def body(self, name: str) -> BodyMotion:
        """Return the motion of one body. Raises InputError for unknown names."""
        if name not in self.bodies:
            raise InputError(f"{self.name!r} has no body {name!r}; it has {', '.join(self.bodies[:12]) or 'none'}.")
        k, d = self.bodies.index(name), 3 if self.q.shape[1] == 7 * len(self.bodies) else 2
        q, v = (x.reshape(len(self.t), len(self.bodies), -1)[:, k] for x in (self.q, self.v))
        return BodyMotion(q[:, :d], q[:, d:], v[:, :d], v[:, d:])

    def pressing(self, k: int) -> Pressing:
        """Return the contacts with an impulse in the step that led to record k (negative from the end)."""
        if not isinstance(k, int | np.integer) or not -len(self.t) <= k < len(self.t):
            raise InputError(f"record {k!r} does not exist; there are {len(self.t)}.")
        k = int(k) % len(self.t)
        chosen = slice(self.first[k], self.first[k + 1])
        pairs = pairs_of((*self.bodies, *self.others), self.one[chosen], self.two[chosen])
        return Pressing(pairs, self.normal[chosen], self.friction[chosen], self.point[chosen], self.direction[chosen])

    def normal_force(self, name: str) -> Array:
        """Return the normal forces (N,) at all contacts of a body or obstacle, added up; means over a step."""
        names = [*self.bodies, *self.others]
        if name not in names:
            raise InputError(f"{self.name!r} has no body or obstacle {name!r}; it has {', '.join(names[:12])}.")
        k = names.index(name)
        record = np.repeat(np.arange(len(self.t)), self.contact_count)
        mine = (self.one == k) | (self.two == k)
        return np.bincount(record[mine], self.normal[mine], len(self.t)) / self.step

    def save(self, path: str | Path) -> Path:
        """Write a compressed NumPy file (.npz), which reads back bit for bit. Raises FileError, InputError.

        The file takes the place of an older one only when it is whole.
        """
        target = storage.as_path(path)
        storage.require_ending(target, (".npz",), "a motion by time stepping is written as compressed NumPy arrays")
        words = {f: getattr(self, f) for f in ("name", "step", "every", "bodies", "others")}
        meta = json.dumps({"format": FORMAT, **words, "ending": asdict(self.ending)})
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in (*words, "ending")}
        image = io.BytesIO()
        np.savez_compressed(image, meta=np.array(meta), **arrays)
        content = image.getvalue()[:-2] + storage.LENGTH.to_bytes(2, "little")  # the seal is a comment to the archive
        with storage.replaced(target) as part:
            part.write_bytes(content + storage.seal(content))
        return target

    @staticmethod
    def load(path: str | Path) -> NonsmoothMotion:
        """Read what `save` wrote. Raises FileError for a missing, damaged, foreign or newer file."""
        source = storage.as_path(path)
        content = storage.content_of(source)
        if not content.startswith(SIGNATURE):
            raise FileError(f"{source} is not a readable .npz file: it does not begin like one.")
        if not storage.is_sealed(source, content):
            raise FileError(
                f"{source} is not a readable .npz file of this package: it does not end with a checksum. It was cut, or"
                " written by something else."
            )
        with np.lib.npyio.NpzFile(io.BytesIO(content), allow_pickle=False) as data:
            arrays: dict[str, Any] = {key: data[key] for key in data.files}
        meta = json.loads(str(arrays.pop("meta")))
        storage.require_version(source, meta.pop("format"), FORMAT, "a motion by time stepping")
        ending = Ending(**meta.pop("ending"))
        words: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in meta.items()}
        return NonsmoothMotion(**words, **arrays, ending=ending)

    def __str__(self) -> str:
        doubtful = int(np.sum(~self.certified))
        lost, added = float(np.sum(self.dissipated)), float(np.sum(self.correction_energy))
        lines = [
            f"{self.name}: {len(self.bodies)} bodies, {len(self.t)} records up to t = {self.t[-1]:.6g} s, step"
            f" {self.step:.4g} s",
            f"  ending       {self.ending.kind}: {self.ending.message}",
            f"  contacts     {int(self.contact_count[-1])} at the end, at most {int(np.max(self.contact_count))}",
            f"  energy       {self.energy[0]:.6g} J to {self.energy[-1]:.6g} J; contacts took {lost:.4g} J,"
            f" corrections added {added:.3g} J, balance {self.balance:.1g} J",
            f"  penetration  at most {np.max(self.penetration) + 0.0:.1e} of the size",
            f"  certificate  residual at most {np.max(self.residual):.1e}, {doubtful} records not certified",
        ]
        return "\n".join(lines)


def recorded(world: SceneWorld, name: str, march: March) -> NonsmoothMotion:
    """Return the motion of a Scene of its steps."""
    entries = march.entries
    kept = [np.flatnonzero(e.impulses[: e.contacts.count] > 0.0) for e in entries]
    d = max((e.contacts.tangents for e in entries if e.contacts.count), default=1)
    wide = next((e.contacts.point.shape[1] for e in entries), 0)
    friction = [e.impulses[e.contacts.count :].reshape(-1, d)[k] for e, k in zip(entries, kept, strict=True) if len(k)]
    energies = np.array([e.energies for e in entries])

    def joined(field: str) -> list[Array]:
        return [getattr(e.contacts, field)[k] for e, k in zip(entries, kept, strict=True)]

    return NonsmoothMotion(
        name=name,
        step=march.step,
        every=march.every,
        bodies=world.names[: world.count],
        others=world.names[world.count :],
        t=np.array([e.t for e in entries]),
        q=np.array([e.q for e in entries]),
        v=np.array([e.v for e in entries]),
        kinetic=energies[:, 0],
        potential=energies[:, 1],
        dissipated=np.array([e.sums.dissipated for e in entries]),
        correction_energy=np.array([e.sums.correction for e in entries]),
        work=np.array([e.sums.work for e in entries]),
        penetration=np.array([e.penetration for e in entries]),
        residual=np.array([e.sums.residual for e in entries]),
        systems=np.array([e.sums.systems for e in entries]),
        first=np.concatenate([[0], np.cumsum([len(k) for k in kept])]).astype(int),
        one=np.concatenate(joined("one")),
        two=np.concatenate(joined("two")),
        normal=np.concatenate([e.impulses[k] for e, k in zip(entries, kept, strict=True)]),
        friction=np.vstack([np.zeros((0, d)), *friction]),
        point=np.vstack([np.zeros((0, wide)), *joined("point")]),
        direction=np.vstack([np.zeros((0, wide)), *joined("normal")]),
        ending=march.ending,
    )
