"""Threads and processes that share systems: every acceleration and every motion is the one that a single thread finds.

    python validation/threads.py --count 10000 --json validation/threads.json

Ten threads compute `--count` certified accelerations each, of the same states of three systems, each thread in an order
of its own: a double pendulum in Cartesian coordinates, Chaplygin's sleigh, and a bead pressed into a bowl (Unilateral).
An acceleration is wrong if it differs in any bit from what one thread computed before, or by more than 1e-9 from the
hand-written equations of the system, solved by NumPy. Then the threads build, compile and integrate systems of their
own at the same time, and processes that are forked and spawned integrate systems that are sent to them; these motions
must have the same bits, too.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from campaign import options_of, origin, store
from rich.console import Console

import gauss

G, THREADS, MOTIONS = 9.81, 10, 40
ALLOWED = 1e-9  # m/s², rad/s²


def double_pendulum():
    """Return the system, and what makes n random states and the rows M, f, J, γ of each."""
    system = gauss.System(
        "double pendulum",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2) / 2,
        potential_energy=lambda q: G * (q.y1 + q.y2),
        constraints=[
            gauss.Holonomic("rod 1", lambda q: q.x1**2 + q.y1**2 - 1.0),
            gauss.Holonomic("rod 2", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 1.0),
        ],
    )

    def state(rng):
        (a, b), (u, w) = rng.uniform(-np.pi, np.pi, 2), rng.normal(size=2)
        first, second = np.array([np.sin(a), -np.cos(a)]), np.array([np.sin(b), -np.cos(b)])
        one, two = u * np.array([np.cos(a), np.sin(a)]), w * np.array([np.cos(b), np.sin(b)])
        J = np.array([[*first, 0.0, 0.0], [*-second, *second]])
        gamma = -np.array([one @ one, two @ two])
        rows = np.eye(4), np.array([0.0, -G, 0.0, -G]), J, gamma
        return np.concatenate([first, first + second]), np.concatenate([one, one + two]), rows

    return system, state


def sleigh():
    """Return the same for Chaplygin's sleigh: its blade does not slip sideways."""
    system = gauss.System(
        "sleigh",
        "x y turn",
        mass_matrix=[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]],
        force=lambda q: [0.0, -2.0 * G * gauss.sin(0.2), 0.3],
        constraints=gauss.Pfaffian("blade", lambda q: [-gauss.sin(q.turn), gauss.cos(q.turn), 0.0]),
    )

    def state(rng):
        x, y, turn = rng.uniform(-3.0, 3.0, 3)
        speed, spin = rng.normal(size=2)
        c, s = np.cos(turn), np.sin(turn)
        rows = np.diag([2.0, 2.0, 0.5]), np.array([0.0, -2.0 * G * np.sin(0.2), 0.3])
        return np.array([x, y, turn]), np.array([speed * c, speed * s, spin]), (*rows, [[-s, c, 0.0]], [speed * spin])

    return system, state


def bead():
    """Return the same for a bead in a bowl: a Unilateral row that gravity and the turning of the way keep closed."""
    system = gauss.System(
        "bead",
        "x y z",
        kinetic_energy=lambda v: (v.x**2 + v.y**2 + v.z**2) / 2,
        potential_energy=lambda q: G * q.z,
        constraints=gauss.Unilateral("bowl", lambda q: q.z - (q.x**2 + q.y**2) / 2),
    )

    def state(rng):
        x, y = rng.uniform(-1.0, 1.0, 2)
        u, w = rng.normal(size=2)
        q, v = np.array([x, y, (x**2 + y**2) / 2]), np.array([u, w, x * u + y * w])
        return q, v, (np.eye(3), np.array([0.0, 0.0, -G]), [[-x, -y, 1.0]], [u**2 + w**2])

    return system, state


def by_hand(M, f, J, gamma):
    """Return a of M a − Jᵀλ = f, J a = γ."""
    J = np.array(J)
    n, m = len(f), len(gamma)
    return np.linalg.solve(np.block([[M, -J.T], [J, np.zeros((m, m))]]), np.concatenate([f, gamma]))[:n]


def accelerations(count, seed):
    """Return the record of all accelerations in one thread and in many."""
    rng = np.random.default_rng(seed)
    made = [make() for make in (double_pendulum, sleigh, bead)]
    cases = [(system, *state(rng)) for system, state in (made[k % 3] for k in range(count))]
    begin = time.perf_counter()
    alone = [gauss.accelerate(system, q, v).a for system, q, v, _ in cases]
    between = time.perf_counter()
    off = max(np.max(np.abs(a - by_hand(*rows))) for a, (*_, rows) in zip(alone, cases, strict=True))

    def wrong(order):
        found = 0
        for k in order:
            system, q, v, _ = cases[k]
            try:
                found += not np.array_equal(gauss.accelerate(system, q, v).a, alone[k])
            except gauss.errors.GaussError:  # no verdict of one thread alone
                found += 1
        return found

    orders = [np.random.default_rng([seed, k]).permutation(count) for k in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        differing = sum(pool.map(wrong, orders))
    end = time.perf_counter()
    return {
        "threads": THREADS,
        "accelerations": THREADS * count,
        "other than in one thread": differing,
        "furthest from equations by hand": float(off),
        "ms of each in one thread": round(1e3 * (between - begin) / count, 2),
        "ms of each in threads": round(1e3 * (end - between) / (THREADS * count), 2),
    }


def built(k):
    """Return the number k of several systems, built anew."""
    return (double_pendulum, sleigh)[k % 2]()


def moved(given):
    """Return the last state and the accelerations of a motion of a system from its number k of random states."""
    system, q, v = given
    run = gauss.simulate(system, q, v, t_end=0.5, progress="none")
    return np.concatenate([run.t, run.q.ravel(), run.a.ravel(), run.energy])


def motions(seed):
    """Return the record of motions of systems built in threads, and of systems sent to processes."""
    rng = np.random.default_rng(seed)
    given = []
    for k in range(MOTIONS):
        system, state = built(k)
        given.append((system, *state(rng)[:2]))
    alone = [moved(each) for each in given]

    def differing(found):
        return sum(not np.array_equal(a, b) for a, b in zip(found, alone, strict=True))

    with ThreadPoolExecutor(THREADS) as pool:
        anew = pool.map(lambda k: moved((built(k)[0], *given[k][1:])), range(MOTIONS))
        record = {"motions": MOTIONS, "other in threads that build their systems": differing(anew)}
    for start in ("fork", "spawn"):
        with multiprocessing.get_context(start).Pool(2) as pool:
            record[f"other in processes, {start}"] = differing(pool.map(moved, given))
    return record


def main():
    """Run everything; return 1 if anything differed."""
    options = options_of(__doc__, 10_000, 15, "accelerations of each thread")
    found = {"accelerations": accelerations(options.count, options.seed), "motions": motions(options.seed)}
    for name, record in found.items():
        Console(width=120).print(name, record)
    store(
        options.json,
        {"count": options.count, "seed": options.seed, **origin("numpy", "casadi", "cloudpickle"), **found},
    )
    failed = any(x for record in found.values() for name, x in record.items() if name.startswith("other"))
    return int(failed or found["accelerations"]["furthest from equations by hand"] > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
