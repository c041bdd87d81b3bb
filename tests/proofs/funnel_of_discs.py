"""The other claims of scenarios/funnel_of_discs.py.

Discs of 32 to 48 mm radius (1 kg each, μ = 0.3, no restitution) fall in loose rows from above the closed bottom of a
funnel with straight walls. Each step of 5 ms solves one problem for the velocities after it: M(v⁺ − v⁻) = h f + Nᵀp +
Tᵀt with p ≥ 0, ġ⁺ ≥ 0 and Coulomb's law at up to 170 contacts at once, certified to 1e-10 of the rates, and then brings
positions back so that nothing penetrates. Contact forces in the heap are not unique.

What is known: momentum is exact in each step; kinetic and potential energy together never rise by more than what the
correction of positions adds, which is booked separately, and their balance closes to rounding; no disc penetrates
another by more than 1e-6 of its radius; one disc alone moves as a System with the same two walls as constraints does,
whose gaps and slips are differentiated automatically and share no code with the geometry of the scene.

`scene(1000)` is the same with a thousand discs (benchmarks/discs.py).
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.nonsmooth import ContactMaterial, Disc, Scene, SceneBody, moreau
from scenarios.funnel_of_discs import MU, RADIUS, G, scene, settling, start, system, walls


@cache
def alone():
    """One disc as a body of a scene, and as a System."""
    one = Scene(
        "one disc",
        [SceneBody("disc", Disc(RADIUS), position=(0.3, 0.5))],
        walls(),
        gravity=G,
        surface=ContactMaterial(MU),
    )
    options = {"step": 2e-3, "t_end": 0.4, "progress": "none"}
    return moreau(one, **options), g.simulate(system, start.q, start.v, method="moreau", **options)


def overlaps(run):
    """Largest penetration of two discs in any record, from their centres alone, relative to the smaller radius."""
    radius = np.array([b.shape.radius for b in scene().bodies])
    i, j = np.triu_indices(len(radius), 1)
    worst = 0.0
    for q in run.q:
        place = q.reshape(-1, 3)[:, :2]
        gap = np.linalg.norm(place[i] - place[j], axis=1) - radius[i] - radius[j]
        worst = max(worst, float(np.max(-gap / np.minimum(radius[i], radius[j]))))
    return worst


def claims(step):
    run = settling()
    single, other = alone()
    rise = np.diff(run.energy) - run.correction_energy[1:]
    lost = run.energy[0] - run.energy[-1]
    sliding = run.friction[:, 0]
    return [
        g.Claim("penetration of discs, from their centres alone", overlaps(run), 1e-6, "share of the radius"),
        g.Claim(
            "the energy never rises by more than corrections add", float(np.max(rise)), 1e-10, "rounding, of 711 J"
        ),
        g.Claim("the energy balance closes", run.balance, 1e-10, "rounding, of 711 J"),
        g.Claim(
            "corrections of positions add little",
            float(np.sum(run.correction_energy)) / lost,
            0.02,
            "of the energy lost; of order h",
        ),
        g.Claim(
            "no force leaves its cone",
            float(np.max(np.abs(sliding) - MU * run.normal, initial=0.0)),
            1e-12,
            "rounding, N s",
        ),
        g.Claim(
            "one disc moves as the System with the same walls does",
            float(np.max(np.abs(single.q - other.q))),
            1e-9,
            "solver 1e-10, in m and rad",
        ),
    ]
