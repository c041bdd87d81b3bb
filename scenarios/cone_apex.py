"""A particle at rest at the apex of a cone: the constraint rows vanish and do not determine its acceleration.

A particle of mass 1 kg (coordinates x, y, z in m, gravity g = 9.81 m/s² along −z) is bound to the cone
x² + y² − z² = 0. Away from the apex the only row 2(x, y, −z) has full rank, and the acceleration is unique. At the apex
it vanishes: the position is singular, and the row alone leaves the free acceleration (0, 0, −g). No motion on the cone
begins like that: at rest at the apex every motion on the cone has an acceleration on the cone,

    ẍ² + ÿ² − z̈² = 0,

and free fall violates this by −g². The condition is quadratic, so it cannot be had from rows J a = γ, and d'Alembert's
principle, which needs linear conditions on the virtual displacements, says nothing here.

On the cone of accelerations the Zwang ½|a − (0, 0, −g)|² has a whole circle of least points,

    ẍ² + ÿ² = g²/4,   z̈ = −g/2,   with Zwang g²/4,

as the force lies on the axis, so the plane through the axis and the force is not determined. Each of these points is
also the acceleration at rest along one generator: at s (cos φ, sin φ, 1) it is −g/2 (cos φ, sin φ, 1) for every s > 0.

What the program computes here is the verdict (rank-deficient, by the row 'cone') and what the row alone leaves; the
circle is drawn as information, not computed by it. A motion cannot start at the apex.
"""

import numpy as np

import gauss as g

COVERS = ("C2", "C4")
SOURCE = "C, equations (9)–(13), after P. Stäckel"

G = 9.81  # m/s²
EPS = float(np.finfo(float).eps)

system = g.System(
    "particle on a cone",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q: G * q.z,
    constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
)
start = g.Start(q=[0.0, 0.0, 0.0])

HEIGHTS = (1.0, 1e-2, 1e-4, 1e-6)  # m, of the regular points near the apex
AZIMUTHS = (0.0, 0.7, 2.5, 4.0)  # rad


def refused():
    """Whether a motion from the apex is refused because the position is singular."""
    try:
        g.simulate(system, start.q, t_end=1.0, progress="none")
    except g.SingularPositionError:
        return True
    return False


def error_at_rest():
    """Relative distance from −g/2 (cos φ, sin φ, 1) at rest at s (cos φ, sin φ, 1), the worst of all s and φ."""
    worst = 0.0
    for s in HEIGHTS:
        for azimuth in AZIMUTHS:
            direction = np.array([np.cos(azimuth), np.sin(azimuth), 1.0])
            step = g.accelerate(system, s * direction)
            worst = max(worst, g.relative(step.a, -G / 2 * direction), 0.0 if step.verdict.regular else 1.0)
    return worst


def error_in_motion():
    """The same for a particle that crosses the generator horizontally with the speed w.

    The row demands x ẍ + y ÿ − z z̈ = −w², so a = (0, 0, −g) − (w²/s + g)/2 (cos φ, sin φ, −1); with w² = g s this is
    the steady horizontal circle.
    """
    worst = 0.0
    for s in HEIGHTS:
        for azimuth in AZIMUTHS:
            for w in (0.3, np.sqrt(G * s)):
                direction = np.array([np.cos(azimuth), np.sin(azimuth), 1.0])
                velocity = w * np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
                expected = np.array([0.0, 0.0, -G]) - (w**2 / s + G) / 2 * (direction * [1, 1, -1])
                worst = max(worst, g.relative(g.accelerate(system, s * direction, velocity).a, expected))
    return worst


def claims(step):
    verdict, a = step.verdict, step.a
    rounding = "rounding, 100·eps"
    return [
        g.Claim("the verdict is rank-deficient", float(verdict.verdict != "rank-deficient"), 0.0, "yes or no"),
        g.Claim("it names the row 'cone'", float(verdict.dependent != (("cone",),)), 0.0, "yes or no"),
        g.Claim("the smallest singular value is 0", verdict.sigma_min, 0.0, "the row vanishes exactly"),
        g.Claim("the multiplier is not unique", float(step.solution.multipliers_unique), 0.0, "yes or no"),
        g.Claim("the row alone leaves free fall", g.relative(a, [0.0, 0.0, -G]), 100 * EPS, rounding),
        g.Claim(
            "warning: this answer violates ẍ² + ÿ² − z̈² = 0, by −g²",
            g.relative(a[0] ** 2 + a[1] ** 2 - a[2] ** 2, -(G**2)),
            100 * EPS,
            rounding,
        ),
        g.Claim("a motion from the apex is refused as singular", float(not refused()), 0.0, "yes or no"),
        g.Claim(
            "near the apex the acceleration at rest is −g/2 (cos φ, sin φ, 1), at a regular position",
            error_at_rest(),
            1e4 * EPS,
            "rounding of the coordinates and of the row",
        ),
        g.Claim(
            "near the apex the acceleration of a moving particle follows its closed form",
            error_in_motion(),
            1e4 * EPS,
            "rounding of the coordinates and of the row",
        ),
    ]


def figure(step, figure):
    left = figure.add_subplot(1, 2, 1, projection="3d")
    u, s = np.meshgrid(np.linspace(0, 2 * np.pi, 49), np.linspace(-8.0, 4.0, 13))
    left.plot_surface(s * np.cos(u), s * np.sin(u), s, color="C0", alpha=0.15, linewidth=0)
    phi = np.linspace(0, 2 * np.pi, 200)
    left.plot(G / 2 * np.cos(phi), G / 2 * np.sin(phi), -G / 2, color="C1", lw=2, label="least Zwang on the cone")
    for azimuth in np.linspace(0, 2 * np.pi, 13)[:-1]:
        left.plot([0, G / 2 * np.cos(azimuth)], [0, G / 2 * np.sin(azimuth)], [0, -G / 2], color="C1", lw=0.8)
    left.plot(*np.array([np.zeros(3), step.a]).T, color="C3", lw=2, label="the row alone: free fall")
    left.plot([0], [0], [0], "ko")
    left.set(xlabel="ẍ / m/s²", ylabel="ÿ / m/s²", zlabel="z̈ / m/s²", title="accelerations at the apex")
    left.set(xticks=[-5, 0, 5], yticks=[-5, 0, 5], zticks=[-10, -5, 0, 5])
    left.set_box_aspect((1, 1, 0.9), zoom=0.9)
    left.legend(loc="upper left", bbox_to_anchor=(-0.15, 1.0))
    right = figure.add_subplot(1, 2, 2)
    right.plot([-15, 15], [-15, 15], color="C0")
    right.plot([-15, 15], [15, -15], color="C0")
    feet = np.array([[-G / 2, -G / 2], [G / 2, -G / 2]])
    for foot in feet:
        right.plot([0, foot[0]], [-G, foot[1]], color="0.5", ls="--", lw=1)
    right.plot(*feet.T, "o", color="C1")
    right.plot([step.a[0]], [step.a[2]], "o", color="C3")
    right.plot([0], [0], "ko")
    for text, place, color in (
        ("cone ẍ² + ÿ² = z̈²", (3.2, 2.2), "C0"),
        ("apex", (0.8, -0.3), "k"),
        ("least distance,\nZwang g²/4", (6.2, -5.0), "C1"),
        ("free fall, Zwang 0,\noff the cone", (0.7, -11.0), "C3"),
    ):
        right.text(*place, text, color=color)
    right.set(xlabel="ẍ / m/s²", ylabel="z̈ / m/s²", title="section by any plane through the axis")
    right.set(aspect="equal", xlim=(-8, 14), ylim=(-11.5, 4.5))


if __name__ == "__main__":
    g.main(__file__)
