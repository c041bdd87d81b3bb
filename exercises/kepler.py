"""A planet.

A planet of mass m moves in a plane about a fixed sun. r and phi are its polar coordinates; its potential energy is
-GM*m/r with a constant GM.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion, Printed

SOURCE = "TM chapter 0"
page = g.scenario.module("kepler_orbit")
exercise = Exercise(
    about=Printed(
        "TM chapter 0",
        [],
        system=page.system.with_parameters(m=1.3, GM=2.1),
        q=[0.9, 0.7],
        quantities={"r": lambda q: g.hypot(q.x, q.y), "phi": lambda q: g.atan2(q.y, q.x)},
        spread=0.2,
    ),
    coordinates="r phi",
    symbols="m mass, GM strength of the attraction, r distance, phi angle",
    questions=(
        ExerciseQuestion(
            "L",
            "m*r_dot**2/2 + m*r**2*phi_dot**2/2 + GM*m/r",
            hints=("L = T − V.", "The square of the speed is r_dot**2 + r**2*phi_dot**2."),
        ),
        ExerciseQuestion(
            "equation of r",
            "r_ddot - r*phi_dot**2 + GM/r**2 = 0",
            hints=("∂L/∂r has a centrifugal part.", "The derivative of 1/r is -1/r**2."),
        ),
        ExerciseQuestion(
            "equation of phi",
            "r*phi_ddot + 2*r_dot*phi_dot = 0",
            hints=("L does not depend on phi.", "m*r**2*phi_dot is constant."),
        ),
    ),
)
