"""Systems inside a rolling ball (BP): the model with the ball against Lagrange's equations without it.

    python validation/ball.py --count 1000 --seed 5 --json validation/ball.json

The ball with one, two and five pendulums from its centre, and with Lagrange's top, are mechanisms of `gauss.bodies`
with the ball's rotation matrix, contact and rolling. Compared with them are the equations in which the ball does not
appear: T̂ in Cartesian coordinates with the rows of the threads, and the printed Lagrangians (4.2) and (4.4) in angles,
differentiated by hand and integrated by SciPy. Stored are

* the largest change of Chaplygin's integral, of the modified angular momenta and of the modified energy over 60 s,
  relative to the largest sum of the sizes of their terms;
* the largest difference of accelerations at random states, relative to the largest acceleration;
* the largest distance of the two motions, relative to the largest coordinate: over 60 s for one pendulum and for the
  top, which are integrable. Two and five pendulums are not: motions close to one another part like exp(λt), and with
  them what either integration errs. For these the time is stored up to which the motions agree to 1e-9, with λ of the
  motion without the ball, measured over 100 s;
* for a pendulum hung a distance b from the centre, in units of the weight, by how much Lagrange's equations with T̂ are
  violated across the thread at random states: with the point fixed in the ball, and with one that does not turn.
"""

from __future__ import annotations

import numpy as np
from ball_models import (
    GRAVITY,
    LENGTHS,
    MASSES,
    MU,
    TIGHT,
    UP,
    ball_at,
    by_lagrange,
    drawn,
    hung_off,
    in_angles,
    motion_of,
    off_centre,
    on_spheres,
    pendulums,
    posed,
    relative,
    single,
    spherical,
    spinning,
    start_of,
    top,
    unit_vectors,
    with_bobs,
)
from campaign import options_of, origin, store
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

END, LONG = 60.0, 100.0  # s, of motions and of what λ is measured on
AGREED = 1e-9  # of the motions, relative to the largest coordinate
OFFSETS = (0.0, 1e-3, 0.03, 0.12)  # m


# ---------------------------------------------------------------- accelerations at random states


def worst(system, pairs):
    """The largest difference of accelerations, relative to the largest: pairs of (q, v), pick and what is expected."""
    got, want = [], []
    for (q, v), pick, expected in pairs:
        got.append(pick(g.accelerate(system, q, v).a))
        want.append(expected)
    return g.relative(np.array(got), np.array(want))


def at_states_of_pendulums(count, states, seed):
    """The full model against T̂: r̈_i of each mass, and V̇ = −Σ m_i r̈_i/(μ+m)."""
    rng, made, m = np.random.default_rng(seed), pendulums(count), MASSES[:count]

    def pick(a):
        centre, r = relative(a, count)
        return np.concatenate([r.ravel(), centre])

    def pairs():
        for _ in range(states):
            (R, omega), (r, v) = ball_at(rng), on_spheres(rng, LENGTHS[:count])
            a = by_lagrange(r, v)
            yield with_bobs(made, R, omega, r, v), pick, [*a.ravel(), *(-m @ a[:, :2] / (MU + m.sum()))]

    return worst(made.system, pairs())


def at_states_of_one(states, seed):
    """The full model against the printed (4.2) in theta and phi."""
    rng, made, m, l = np.random.default_rng(seed), pendulums(1), MASSES[0], LENGTHS[0]

    def pairs():
        for _ in range(states):
            (R, omega), (angles, rates) = ball_at(rng), drawn(rng)
            n, n1, n2 = spherical(angles, rates, in_angles(angles, rates, 0.0, m, l, m * l**2, 0.0))
            yield with_bobs(made, R, omega, [l * n], [l * n1]), lambda a: relative(a, 1)[1][0], l * n2

    return worst(made.system, pairs())


def at_states_of_top(states, seed):
    """The full model against the Lagrangian of the top in Euler's angles: n̈, the rate 0 of ω·n, and V̇."""
    rng, made, body = np.random.default_rng(seed), top(), (spinning.MASS, spinning.LENGTH, spinning.A, spinning.C)

    def pairs():
        for _ in range(states):
            (R, omega), (angles, rates), spin = ball_at(rng), drawn(rng), 5.0 * rng.normal()
            n, n1, n2 = spherical(angles, rates, in_angles(angles, rates, spin, *body))
            T = mb.euler("ZYZ", angles[1], angles[0], rng.uniform(-np.pi, np.pi))
            turning = np.cross(n, n1) + spin * n
            T1 = mb.rate(T, turning, axes="space")

            def pick(a, T=T, T1=T1):
                T2 = a[15:].reshape(3, 3)
                return np.concatenate([T2[:, 2], [T[:, 1] @ T2[:, 0] + T1[:, 1] @ T1[:, 0]], a[:2]])

            def inside(c, V, T=T, turning=turning):
                return [made.bodies[1].pose(c, T, V, turning, axes="space")]

            level = -spinning.SHARE * spinning.LENGTH * n2[:2]
            yield posed(made, R, omega, inside), pick, np.concatenate([n2, [0.0], level])

    return worst(made.system, pairs())


def violation(distance, turning, states, seed):
    """The largest |M̂r̈ + mg e_z| across the thread, over mg, and the largest error of Newton's equations with N."""
    rng, made, length = np.random.default_rng(seed), hung_off(distance, turning), np.array([off_centre.LENGTH])
    off, pairs = [], []
    for _ in range(states):
        (R, omega), (u, w) = ball_at(rng), on_spheres(rng, length)
        h = distance * (R[:, 2] if turning else np.array([0.6, 0.0, 0.8]))
        r, v = h + u[0], turning * np.cross(omega, h) + w[0]
        a = relative(g.accelerate(made.system, *with_bobs(made, R, omega, [r], [v])).a, 1)[1][0]
        force = off_centre.MODIFIED * a + off_centre.MASS * GRAVITY * UP
        off.append(np.linalg.norm(force - force @ u[0] / (u[0] @ u[0]) * u[0]))
        pairs.append((a, off_centre.by_newton(h, r, v, omega, moment=turning, turning=turning)[:3]))
    got, want = (np.array(x) for x in zip(*pairs, strict=True))
    return float(np.max(off)) / (off_centre.MASS * GRAVITY), g.relative(got, want)


# ---------------------------------------------------------------- motions


def kept_by_pendulums(run, count):
    """The change of each integral along a run, relative to the largest sum of the sizes of its terms."""
    (_, r), (V, v) = relative(run.q, count), relative(run.v, count)
    m = MASSES[:count]
    share = m.sum() / (MU + m.sum())
    s, w = (np.einsum("i,ij...->j...", m, x) / m.sum() for x in (r, v))
    turning, level = m @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]), np.sum(w[:2] ** 2, axis=0)
    kinetic, weight = m @ np.sum(v**2, axis=1) / 2, GRAVITY * m @ r[:, 2]
    values = {
        "Chaplygin": (V + share * w[:2], np.abs(V) + share * np.abs(w[:2])),
        "K_z": (
            turning - share * m.sum() * (s[0] * w[1] - s[1] * w[0]),
            m @ (np.linalg.norm(r, axis=1) * np.linalg.norm(v, axis=1)),
        ),
        "H": (kinetic - share * m.sum() * level / 2 + weight, kinetic + np.abs(weight)),
    }
    return {name: changed(*pair) for name, pair in values.items()}


def changed(values, sizes):
    """The largest change of values (…, N), over the largest size."""
    return float(np.max(np.ptp(values, axis=-1)) / np.max(sizes))


def kept_by_top(run):
    """As `kept_by_pendulums`, with the momentum about the axis of the top."""
    R, R1 = (x[:, 15:].reshape(-1, 3, 3) for x in (run.q, run.v))
    n, n1, V = R[:, :, 2].T, R1[:, :, 2].T, run.v.T[:2]
    W = R1 @ R.transpose(0, 2, 1)
    w = np.array([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]])
    A, C, m, r = spinning.A, spinning.C, spinning.MASS, spinning.LENGTH
    share, along = m / (MU + m), np.sum(w * n, axis=0)
    lost, speed = share * m * r**2, np.linalg.norm(w, axis=0)
    K = A * w[2] + (C - A) * along * n[2] - lost * (n[0] * n1[1] - n[1] * n1[0])
    T = (A * speed**2 + (C - A) * along**2 - lost * np.sum(n1[:2] ** 2, axis=0)) / 2
    values = {
        "Chaplygin": (V + share * r * n1[:2], np.abs(V) + share * r * np.abs(n1[:2])),
        "K_n": (C * along, C * speed),
        "K_z": (K, A * speed),
        "H": (T + m * GRAVITY * r * n[2], T + m * GRAVITY * r),
    }
    return {name: changed(*pair) for name, pair in values.items()}


def run_of_pendulums(count, end):
    """The motion of the mechanism and its start (r, v)."""
    made, (r, v, omega) = pendulums(count), start_of(count)
    q, w = with_bobs(made, np.eye(3), omega, r, v)
    return g.simulate(made.system, q, w, t_end=end, progress="none", **TIGHT), (r, v)


def run_of_top(end):
    """The motion of the mechanism from the start of the scenario."""
    made, T = top(), mb.about((0, 1, 0), spinning.THETA)
    omega = 2.0 * np.array(spinning.start.v[3:6])  # from the rate of the quaternion 1
    q, v = posed(made, np.eye(3), omega, lambda c, V: [made.bodies[1].pose(c, T, V, spinning.OMEGA)])
    return g.simulate(made.system, q, v, t_end=end, progress="none", **TIGHT)


def apart_of_one(run):
    """The distance of the mass from the motion by (4.2), relative to the length of the thread."""
    k = MASSES[0] * MU / (MU + MASSES[0]) * np.cross(single.AT, single.MOVING)[2]
    r = relative(run.q, 1)[1][0] / LENGTHS[0]
    return float(np.max(np.abs(r - unit_vectors(*single.by_lagrange(run.t, k)))))


def apart_of_top(run):
    """The distance of the axis n from the motion by (4.4)."""
    c = spinning.C * spinning.OMEGA[2]
    n, w = unit_vectors(spinning.THETA, 0.0), mb.about((0, 1, 0), spinning.THETA) @ spinning.OMEGA
    k = c * n[2] + spinning.STIFF * (w[2] - w @ n * n[2])
    theta, phi = spinning.by_routh(run.t, k, c)
    return float(np.max(np.abs(run.q[:, [17, 20, 23]].T - unit_vectors(theta, phi))))


def parting(run, start, count):
    """Time up to which the motion is that by T̂ to 1e-9, the largest distance until then, and λ (1/s)."""
    gap = relative(run.q, count)[1] - motion_of(run.t, *start)
    gap = np.maximum.accumulate(np.max(np.abs(gap), axis=(0, 1))) / np.max(LENGTHS[:count])
    last = int(np.sum(gap <= AGREED)) - 1
    return {
        "agree_until": float(run.t[last]),
        "distance_there": float(gap[last]),
        "lyapunov": lyapunov(*start, LONG),
    }


def lyapunov(r, v, end, pause=0.5, distance=1e-7):
    """The mean growth (1/s) of log|δ| between two motions by T̂, δ being shortened after each pause (s)."""
    one = np.concatenate([r.ravel(), v.ravel()])
    two = np.concatenate([r.ravel(), v.ravel() * (1.0 + distance)])
    small, growth = np.linalg.norm(two - one), 0.0

    def rates(t, w):
        pairs = w.reshape(2, 2, -1, 3)
        return np.concatenate([x.ravel() for r, v in pairs for x in (v, by_lagrange(r, v))])

    for _ in range(round(end / pause)):
        w = solve_ivp(rates, (0.0, pause), np.concatenate([one, two]), "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        one, two = np.split(w, 2)
        size = np.linalg.norm(two - one)
        growth += np.log(size / small)
        two = one + (two - one) * small / size
    return float(growth / end)


# ---------------------------------------------------------------- the campaign


def examined(states, seed, end):
    """Return the record of all systems."""
    records = {}
    for count in (1, 2, 5):
        run, start = run_of_pendulums(count, end)
        record = {"steps": len(run), "kept": kept_by_pendulums(run, count)}
        record["accelerations_by_T"] = at_states_of_pendulums(count, states, seed)
        if count == 1:
            record["accelerations_by_4_2"] = at_states_of_one(states, seed)
            record["motion_by_4_2"] = apart_of_one(run)
        else:
            record |= parting(run, start, count)
        records[f"{count} pendulums" if count > 1 else "1 pendulum"] = record
    run = run_of_top(end)
    records["top"] = {
        "steps": len(run),
        "kept": kept_by_top(run),
        "accelerations_by_4_4": at_states_of_top(states, seed),
        "motion_by_4_4": apart_of_top(run),
    }
    for name, turning in (("hung off the centre, in the ball", True), ("hung off the centre, not turning", False)):
        found = {f"{b:g} m": violation(b, turning, states, seed) for b in OFFSETS}
        records[name] = {b: {"violation": x, "error_of_newton": y} for b, (x, y) in found.items()}
    return records


def main():
    """Run everything, print the records and store them."""
    more = ("--t-end", {"type": float, "default": END, "help": "length of the motions, s"})
    options = options_of(__doc__, 1000, 5, "random states of each system", more)
    records = examined(options.count, options.seed, options.t_end)
    for name, record in records.items():
        print(name, record)
    settings = {"count": options.count, "seed": options.seed, "t_end": options.t_end}
    store(options.json, settings | origin("numpy", "scipy", "casadi") | {"systems": records})


if __name__ == "__main__":
    main()
