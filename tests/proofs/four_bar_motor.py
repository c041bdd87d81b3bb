"""The other claims of scenarios/four_bar_motor.py.

Crank, coupler and rocker are planar bodies of 1, 3 and 2 kg on four pins, with gravity g = 9.81 m/s² along −y. The
crank of a = 0.25 m turns about the origin, the rocker of c = 0.6 m about (0.8, 0) m, and the coupler joins their ends B
and C, b = 0.9 m apart. Its origin is the point P, which draws the coupler curve, 0.35 m beside the middle of BC. Crank
and rocker are uniform bars; the coupler has its centre of mass at the middle of BC and J = 0.25 kg m² about it. A motor
in the crank's bearing exerts τ = τ₀(1 − ω/ω₀), τ₀ = 9 N m, ω₀ = 12 rad/s, at the crank's speed ω (rad/s).

The three poses given are rough: a straight crank at 0.9 rad, a coupler and a rocker near their places. `mb.assemble`
holds the crank's angle, closes the loop, and finds that it closes in two ways. Both are shown; the motion starts at
rest in the one nearer to the poses.

Known answers. Where circles about B and the rocker's pivot meet, C is on either side: two modes, each of which a
crank-rocker keeps. In each, all positions are functions of the crank's angle φ, with e and f the unit vectors along
coupler and rocker, n that of the crank, and e × f = e_x f_y − e_y f_x,

    β′ = a (n × f)/(b (f × e)),   ψ′ = a (n × e)/(c (f × e)),

the rates of the angles of coupler and rocker by φ. With I = Σ m|r′|² + J α′² and V = Σ m g y over the bodies, one
equation is left, I φ̈ + ½I′φ̇² + V′ = τ, which SciPy integrates; I′ and V′ are found by complex steps. The energy is
what the motor gives, and the two bearings on the ground together carry Σ m(r̈ + g ŷ).
"""

from functools import lru_cache

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.four_bar_motor import (
    ANGLE,
    BESIDE,
    FREE_SPEED,
    GROUND,
    J_COUPLER,
    MASSES,
    TORQUE,
    A,
    B,
    C,
    G,
    built,
    coupler,
    crank,
    linkage,
    rocker,
    start,
    system,
)

EPS = float(np.finfo(float).eps)


def _cross(one, two):
    return one[0] * two[1] - one[1] * two[0]


def directions(phi, side):
    """Unit vectors along crank, coupler and rocker, with C on the side ±1 of the line from B to D; φ may be complex."""
    n = np.array([np.cos(phi), np.sin(phi)])
    gap = np.array([GROUND, 0.0 * phi]) - A * n
    squared = gap[0] ** 2 + gap[1] ** 2
    along = (squared + B**2 - C**2) / (2 * squared)
    across = side * np.sqrt(B**2 / squared - along**2)
    e = np.array([along * gap[0] - across * gap[1], along * gap[1] + across * gap[0]])
    return n, e / B, (e - gap) / C


def along(phi, side):
    """Centres of mass (3, 2), their slopes by φ and those of the angles (3,), then P (2,); φ may be complex."""
    n, e, f = directions(phi, side)
    sine = _cross(f, e)
    turning = np.array([1.0 + 0.0 * phi, A * _cross(n, f) / (B * sine), A * _cross(n, e) / (C * sine)])
    left = [np.array([-x[1], x[0]]) for x in (n, e, f)]
    centres = np.array([A / 2 * n, A * n + B / 2 * e, np.array([GROUND, 0.0 * phi]) + C / 2 * f])
    slopes = np.array([A / 2 * left[0], A * left[0] + B / 2 * turning[1] * left[1], C / 2 * turning[2] * left[2]])
    return centres, slopes, turning, centres[1] + BESIDE * left[1]


def inertia(phi, side):
    """I(φ), kg m²."""
    _, slopes, turning, _ = along(phi, side)
    spin = (MASSES[0] * A**2 / 12, J_COUPLER, MASSES[2] * C**2 / 12)
    return sum(m * (r[0] ** 2 + r[1] ** 2) + J * w**2 for m, r, J, w in zip(MASSES, slopes, spin, turning, strict=True))


def potential(phi, side):
    """V(φ), J."""
    return G * sum(m * r[1] for m, r in zip(MASSES, along(phi, side)[0], strict=True))


def second(phi, omega, side):
    """The crank's angular acceleration (rad/s²) by the one equation."""
    step = phi + 1e-30j
    slope, force = (np.imag(of(step, side)) / 1e-30 for of in (inertia, potential))
    return (TORQUE * (1 - omega / FREE_SPEED) - 0.5 * slope * omega**2 - force) / inertia(phi, side)


def one_equation(times, side):
    """φ, φ̇ and the motor's work (J), each (N,), integrated by SciPy."""
    return _integrated(tuple(times), side)


@lru_cache(maxsize=8)
def _integrated(times, side):
    def rates(_, y):
        return [y[1], second(y[0], y[1], side), TORQUE * (1 - y[1] / FREE_SPEED) * y[1]]

    span = (times[0], times[-1])
    return solve_ivp(rates, span, [ANGLE, 0.0, 0.0], "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def side_of(q):
    """On which side of BD the pin C is, from coordinates by name."""
    end = np.array(coupler.placed(q).point((B / 2, -BESIDE))) - np.array(crank.placed(q).point((A, 0)))
    return float(np.sign(_cross(np.array([GROUND, 0.0]) - np.array(crank.placed(q).point((A, 0))), end)))


def modes_off():
    """Largest distance of P and of the directions in both modes from those of the circles; infinite if not two."""
    if len(built.modes) != 2 or not built.complete:
        return np.inf
    worst = []
    for mode in built.modes:
        q = linkage.named(mode.state.q)
        side = side_of(q)
        *_, place = along(ANGLE, side)
        found = [body.placed(q).direction((1, 0)) for body in (crank, coupler, rocker)]
        worst += [np.abs(np.array(found) - directions(ANGLE, side)), np.abs(np.array(coupler.placed(q).origin) - place)]
    sides = {side_of(linkage.named(mode.state.q)) for mode in built.modes}
    return max(float(np.max(x)) for x in worst) if len(sides) == 2 else np.inf


def slopes_off():
    """Error of the rates of the joints in the one freedom that is left."""
    _, coupler_rate, rocker_rate = along(ANGLE, side_of(linkage.named(built.state.q)))[2]
    exact = {"bearing": 1.0, "B": coupler_rate - 1.0, "C": rocker_rate - coupler_rate, "D": rocker_rate}
    return max(abs(float(built.rates[name][0]) - value) for name, value in exact.items())


def motion_off(run):
    """Largest distance of the path of P from that of the one equation, and difference of the crank's speed."""
    side = side_of(linkage.named(run.q[0]))
    phi, omega, _ = one_equation(run.t, side)
    place = np.array([along(x, side)[3] for x in phi]).T
    turning = run["crank_c"] * run["d_crank_s"] - run["crank_s"] * run["d_crank_c"]
    off = np.array([run["coupler_x"], run["coupler_y"]]) - place
    return float(np.max(np.abs(off))), float(np.max(np.abs(turning - omega)))


def carried(run):
    """Force (N, 2) that both bearings must carry: Σ m(r̈ + g ŷ) by the one equation; r″ by complex steps."""
    side, total = side_of(linkage.named(run.q[0])), []
    for x, w in zip(*one_equation(run.t, side)[:2], strict=True):
        slopes = along(x, side)[1]
        curves = np.imag(along(x + 1e-30j, side)[1]) / 1e-30
        a = curves * w**2 + slopes * second(x, w, side)
        total.append(np.array(MASSES) @ a + np.array([0.0, G * sum(MASSES)]))
    return np.array(total)


def other(run):
    """The motion that starts in the other mode."""
    state = built.modes[1].state
    return g.simulate(system, state.q, state.v, t_end=run.t[-1], rtol=start.rtol, atol=start.atol, progress="none")


def claims(run):
    place, turning = motion_off(run)
    place2, turning2 = motion_off(other(run))
    work = one_equation(run.t, side_of(linkage.named(run.q[0])))[2]
    both = np.array([run[f"bearing[{k}]"] + run[f"D[{k}]"] for k in range(2)]).T
    kept = 10 * len(run) * start.rtol
    return [
        g.Claim("the loop closes in the two modes of the circles, and no others", modes_off(), 100 * EPS, "rounding"),
        g.Claim("the one freedom has the slopes of the circles", slopes_off(), 100 * EPS, "rounding"),
        g.Claim("P moves as the one equation of motion has it", place, kept, "N steps that err by rtol each, 1 m"),
        g.Claim("and the crank turns so", turning, FREE_SPEED * kept, "as above, at up to 20 rad/s"),
        g.Claim("as they do in the other mode", max(place2, turning2 / FREE_SPEED), kept, "as above"),
        g.Claim(
            "the energy is what the motor gives",
            float(np.max(np.abs(run.energy - run.energy[0] - work))),
            TORQUE * kept,
            "as above, times the torque",
        ),
        g.Claim(
            "the two bearings carry weight and inertia", g.relative(both, carried(run)), 10 * kept, "smooth in them"
        ),
    ]
