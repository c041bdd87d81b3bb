"""Bead on a cycloid.

A bead of mass m slides without friction on the wire x = R*(phi + sin(phi)), y = R*(1 - cos(phi)), y upwards, under the
acceleration of gravity g.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion, Printed

SOURCE = "TM Ex. 3.2"
page = g.scenario.module("brachistochrone")
exercise = Exercise(
    about=Printed("TM Ex. 3.2", [], system=page.system, q=page.on_wire(0.7)[0], spread=0.3),
    coordinates="phi",
    symbols="m mass, R radius of the rolling circle, g gravity, phi its angle",
    questions=(
        ExerciseQuestion(
            "T",
            "m*R**2*(1 + cos(phi))*phi_dot**2",
            hints=("Differentiate x and y.", "x_dot**2 + y_dot**2 has (1 + cos(phi))**2 + sin(phi)**2."),
        ),
        ExerciseQuestion("V", "-m*g*R*cos(phi)", hints=("The height is y.",)),
        ExerciseQuestion(
            "equation of phi",
            "2*R*(1 + cos(phi))*phi_ddot - R*sin(phi)*phi_dot**2 + g*sin(phi) = 0",
            hints=("∂L/∂phi_dot = 2*m*R**2*(1 + cos(phi))*phi_dot.", "The terms with phi_dot**2 cancel in part."),
        ),
        ExerciseQuestion(
            "omega",
            "sqrt(g/(4*R))",
            text="about phi = 0",
            hints=("Keep first powers of phi.", "1 + cos(phi) becomes 2."),
        ),
    ),
)
