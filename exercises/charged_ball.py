"""Charged ball on a spring.

A ball of mass m on a spring of stiffness k moves along a line; x is the extension of the spring. A fixed charge at
x = l attracts it with the force K/(l - x)**2. There is no gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM Ex. 2.4"
exercise = Exercise(
    about=g.sources.load("charged_ball").equations[0],
    coordinates="x",
    symbols="m mass, k stiffness, l place of the charge, K strength of the attraction, x extension",
    questions=(
        ExerciseQuestion("T", "m*x_dot**2/2", hints=("The ball moves along one line.",)),
        ExerciseQuestion(
            "V",
            "k*x**2/2 - K/(l - x)",
            hints=(
                "Add the energies of spring and charge.",
                "The force of the charge is minus the derivative of its energy.",
            ),
        ),
        ExerciseQuestion(
            "equation of x",
            "m*x_ddot + k*x - K/(l - x)**2 = 0",
            hints=("Newton's law is enough.", "The spring pulls back, the charge pulls on."),
        ),
    ),
)
