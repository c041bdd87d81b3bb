"""Bead on a rotating hoop.

A bead of mass m slides without friction on a hoop of radius r that turns about its vertical diameter at the constant
rate Omega. theta is the angle of the bead from the lowest point; g is the acceleration of gravity. Omega is so large
that the bead can rest on the hoop beside the lowest point.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion, Printed

SOURCE = "TM §8.1.1, in a plane that turns"
system = g.System(
    "bead on a rotating hoop",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[
        g.Holonomic("sphere", lambda q, p: q.x**2 + q.y**2 + q.z**2 - p.r**2),
        g.Holonomic("plane", lambda q, t, p: q.y * g.cos(p.Omega * t) - q.x * g.sin(p.Omega * t)),
    ],
    parameters={"m": 1.3, "r": 0.7, "g": 3.3, "Omega": 3.1},
)
exercise = Exercise(
    about=Printed(
        "bead on a rotating hoop",
        [],
        system=system,
        q=[0.5, 0.0, -0.49],
        quantities={"theta": lambda q, t, p: g.atan2(q.x * g.cos(p.Omega * t) + q.y * g.sin(p.Omega * t), -q.z)},
        spread=0.3,
    ),
    coordinates="theta",
    symbols="m mass, r radius, g gravity, Omega rate of the hoop, theta angle from the lowest point",
    questions=(
        ExerciseQuestion(
            "T",
            "m*r**2*theta_dot**2/2 + m*r**2*sin(theta)**2*Omega**2/2",
            hints=("The hoop carries the bead around.", "Its distance from the axis is r*sin(theta)."),
        ),
        ExerciseQuestion("V", "-m*g*r*cos(theta)", hints=("How high is the bead above the middle of the hoop?",)),
        ExerciseQuestion(
            "equation of theta",
            "r*theta_ddot - r*Omega**2*sin(theta)*cos(theta) + g*sin(theta) = 0",
            hints=("∂L/∂theta has a centrifugal part.", "Divide by m*r."),
        ),
        ExerciseQuestion(
            "equilibria",
            "theta = 0; theta = pi; theta = acos(g/(r*Omega**2)); theta = -acos(g/(r*Omega**2))",
            hints=("sin(theta) is a factor.", "What if the other factor vanishes? There are four equilibria."),
        ),
    ),
)
