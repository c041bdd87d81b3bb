"""The integral of Cauchy's stress over a rigid body, from the multipliers that keep it rigid.

With x from the body's origin a, the virial of Cauchy's equation ρẍ = div σ + ρf over the body is (Signorini)

    ∫σ dv = Σ F ⊗ x − ∫ẍ ⊗ x dm,    ∫ẍ ⊗ x dm = (R̈K₀ + m ä ⊗ c₀)Rᵀ,

the sum over all forces F on it, weight and those of joints among them, each with the point x it acts at. A force at the
point b of the body has the generalized force F ⊗ b on R, and R̈K₀ + m ä ⊗ c₀ = Q + RΛ (VHIF (1.3)), so that

    ∫σ dv = −RΛRᵀ        (VHIF §1, property 3, there for a body without forces)

also under forces, as long as Q is the sum of F ⊗ b. Rows that keep directions, and those that keep a height, have
another Q with the same force and moment; what is left is symmetric, and is put right here: their force is taken where
it acts, and a couple, which alone does not say how it is applied, as one that strains nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.bodies.body.body import Body
from gauss.bodies.body.rods_and_particles import Rod
from gauss.bodies.joints.joint import Link
from gauss.bodies.joints.rates import answered
from gauss.bodies.joints.spatial_joints import Distance, Spherical
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.results.answers import States, rows_of
from gauss.bodies.results.reactions import place_of, point_of, reaction
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised

AT_POINTS = (Spherical, Distance)  # their generalized force is that of a force at a point


@advised
def stress(mechanism: Mechanism, answer: Any, body: Body | Rod) -> Array:
    """Return ∫σ dv (N m, space axes) of a body: (3, 3) of a `Verdict`, (N, 3, 3) along a run; tension is positive.

    Divided by the volume it is the mean stress (Pa). Joints act at their second point, rolling contacts where they
    touch, rows without a point at the body's origin; couples are taken to strain nothing. Further `constraints` of the
    mechanism count as they are written.

    Raises InputError where forces on the body are not determined, as rows depend on one another, for a body that is
    not one of the mechanism, and for one in the plane or a particle.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bar = mb.Body("bar", mb.box(2.0, (0.02, 0.02, 1.0), at=(0, 0, -0.5)))
    >>> held = mb.Mechanism("hanging bar", [bar], [mb.Spherical("top", mb.GROUND, (0, 0, 0), bar, (0, 0, 0))])
    >>> mb.stress(held, g.accelerate(held, *held.state(bar.pose())), bar).round(9)[2, 2].item()  # ½ m g l
    9.81
    """
    if not isinstance(body, (Body, Rod)) or body not in mechanism.bodies:
        raise InputError(f"the stress is that of a Body or Rod of {mechanism.name!r}, got {body!r}.")
    q, multiplier = answered(answer)
    links = [link for link in mechanism.joints if any(part is body for part in link.bodies)]
    for link in links:
        _require_determined(answer, link, body)
    if isinstance(body, Rod):
        u = np.stack([q[name] for name in body.coordinates[3:]], axis=-1)
        return np.asarray(-2.0 * np.asarray(multiplier(f"{body.name} rigid"))[..., None, None] * _outer(u, u))
    R = np.stack([q[name] for name in body.coordinates[3:]], axis=-1).reshape(-1, 3, 3)
    Lambda = mechanism.multiplier_matrix(answer, body)
    found = -R @ Lambda.reshape(-1, 3, 3) @ R.transpose(0, 2, 1)
    others = [link for link in links if not isinstance(link, AT_POINTS)]
    if others:
        found = found + _corrections(answer, body, others, R)
    return np.asarray(found.reshape(Lambda.shape))


def _outer(one: Array, two: Array) -> Array:
    return np.asarray(one[..., :, None] * two[..., None, :])


def _symmetric(matrices: Array) -> Array:
    return np.asarray((matrices + np.swapaxes(matrices, -1, -2)) / 2.0)


def _require_determined(answer: Any, link: Link, body: Body | Rod) -> None:
    """Raise InputError for something else than a step or a run, and where the force of a link is not determined."""
    unknown = [word for word in reaction(answer, link, body).undetermined if word.startswith("force")]
    if unknown:
        raise InputError(
            f"the stress in {body.name!r} is not determined, as the force of {link.name!r} on it is not"
            f" ({', '.join(unknown)}): rows depend on one another."
        )


def _corrections(answer: Any, body: Body, links: list[Link], R: Array) -> Array:
    """Return sym(F ⊗ x) − sym(QRᵀ), (N, 3, 3), of the rows of joints: N is 1 for a step."""
    states = States.of(answer)
    columns = [states.coordinates.index(name) for name in body.coordinates]
    picked = [rows_of(link, states.names) for link in links]
    total = np.zeros_like(R)
    for k in range(states.count):
        J, multipliers, q = states.matrices(k), states.multipliers[k], states.named(k)
        for link, rows in zip(links, picked, strict=True):
            force = J[np.ix_(rows, columns)].T @ multipliers[rows]
            arm = place_of(point_of(link, body), body, q) - np.array(body.placed(q).origin, dtype=float)
            total[k] += _symmetric(np.outer(force[:3], arm) - force[3:].reshape(3, 3) @ R[k].T)
    return total
