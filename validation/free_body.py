"""Free bodies over many turns: the symmetric one against its closed form, the asymmetric one by its integrals.

    python validation/free_body.py --count 100 --json validation/free_body.json

`--count` is the number of turns of the symmetric body. Its closed form (VHIF §2) is evaluated by Rodrigues' formula:
the matrix exponential of SciPy errs by 8e-12 itself at t = 200 s. The asymmetric body moves for four seconds for each
of these turns and turns over about its middle axis all the while; energy and momentum need no other integration. Stored
are the errors, the numbers of steps, the largest eigenvalue of Λ (lemma 2: never positive), and for the symmetric body
how the error grows with the number of turns and with the tolerance. With rtol 1e-14 rounding is what is left: the
energy drifts by 3e-16 of its value per second, which makes an angle that grows with the square of the time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import gauss as g
from gauss import bodies as mb

sys.path.insert(0, str(Path(__file__).resolve().parent))
from campaign import options_of, origin, store

AXIS, B, C = np.array([2.0, -1.0, 2.0]) / 3.0, 1.2, 0.9  # of symmetry, and moments about the centre (kg m²)
OMEGA = np.array([0.5, 0.8, -3.0])  # rad/s
RTOL = 1e-14
SIDE_MOMENTS, MIDDLE = (0.1125, 0.1825, 0.25), np.array([0.05, 4.0, 0.05])  # kg m², rad/s: close to the middle axis


def closed_form(times):
    """R(t) (N, 3, 3) of the symmetric body that starts with R = 1."""
    rate = (C / B - 1.0) * (AXIS @ OMEGA)
    first = Rotation.from_rotvec(np.outer(times, OMEGA + rate * AXIS)).as_matrix()
    second = Rotation.from_rotvec(np.outer(times, -rate * AXIS)).as_matrix()
    return first @ second


def moved(body, omega, t_end, rtol, events=()):
    """Return the mechanism and run of a free body."""
    free = mb.Mechanism("free body", [body], gravity=(0, 0, 0))
    q, v = free.state(body.pose(angular_velocity=omega))
    options = {"rtol": rtol, "atol": rtol / 10, "events": events, "progress": "none"}
    return free, g.simulate(free.system, q, v, t_end=t_end, **options)


def matrices(run, prefix=""):
    """R or Ṙ (N, 3, 3) along a run."""
    return np.array([[run[f"{prefix}b_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)


def symmetric(turns, rtol=RTOL):
    """Return what is measured of the symmetric body; a turn is one of its precession."""
    body = mb.Body("b", mb.Inertia.of_tensor(2.0, B * np.eye(3) + (C - B) * np.outer(AXIS, AXIS)))
    each = 2.0 * np.pi / np.linalg.norm(OMEGA + (C / B - 1.0) * (AXIS @ OMEGA) * AXIS)
    free, run = moved(body, OMEGA, turns * each, rtol)
    errors = np.max(np.abs(matrices(run) - closed_form(run.t)), axis=(1, 2))
    return {
        "turns": turns,
        "rtol": rtol,
        "steps": len(run) - 1,
        "rotation_error": float(np.max(errors)),
        "largest_eigenvalue": float(np.max(np.linalg.eigvalsh(free.multiplier_matrix(run, body)))),
    }


def asymmetric(t_end, rtol=RTOL):
    """Return what is measured of the asymmetric body."""
    body = mb.Body("b", mb.Inertia.of_tensor(3.0, SIDE_MOMENTS))
    over = g.Event("turns over", lambda q, v: body.angular_velocity(q, v)[1])
    free, run = moved(body, MIDDLE, t_end, rtol, (over,))
    R, W = matrices(run), matrices(run, "d_")
    S = np.swapaxes(R, 1, 2) @ W
    omega = np.stack([S[:, 2, 1], S[:, 0, 2], S[:, 1, 0]], axis=1)
    momentum = np.einsum("nij,nj->ni", R, np.array(SIDE_MOMENTS) * omega)
    eigenvalues = np.linalg.eigvalsh(free.multiplier_matrix(run, body))
    return {
        "seconds": t_end,
        "rtol": rtol,
        "steps": len(run) - 1,
        "turnings_over": len(run.events),
        "energy_error": g.relative(run.energy, run.energy[:1]),
        "momentum_error": g.relative(momentum, momentum[:1]),
        "largest_eigenvalue": float(np.max(eigenvalues)),
    }


def main():
    """Measure, print and store; return 1 if an error exceeds 1e-10 or an eigenvalue of Λ is positive."""
    options = options_of(__doc__, 100, 0, "turns of the symmetric body")
    result = {
        **origin("numpy", "scipy", "casadi"),
        "symmetric": symmetric(options.count),
        "growth": [symmetric(turns) for turns in (1, 3, 10, 30) if turns < options.count],
        "tolerances": [symmetric(options.count, rtol) for rtol in (1e-12, 1e-13)],
        "asymmetric": asymmetric(4.0 * options.count),
    }
    for name in ("symmetric", "asymmetric"):
        print(name, result[name])
    for found in (*result["growth"], *result["tolerances"]):
        print(found)
    store(options.json, result)
    errors = [
        result["symmetric"]["rotation_error"],
        *(result["asymmetric"][f"{x}_error"] for x in ("energy", "momentum")),
    ]
    signs = [result[name]["largest_eigenvalue"] for name in ("symmetric", "asymmetric")]
    return int(max(errors) > 1e-10 or max(signs) > 0.0)


if __name__ == "__main__":
    sys.exit(main())
