"""Two-link manipulator.

A massless upper arm of length a turns about a fixed point by q1 from the horizontal; at its end a massless forearm of
length b turns by q2 from the upper arm and carries a point of mass m. g is the acceleration of gravity; no motor turns.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM Ex. 4.4"
exercise = Exercise(
    about=g.sources.load("two_link_manipulator").equations[0],
    coordinates="q1 q2",
    symbols="m mass, a upper arm, b forearm, g gravity, q1 angle from the horizontal, q2 angle between the arms",
    questions=(
        ExerciseQuestion(
            "T",
            "m*a**2*q1_dot**2/2 + m*b**2*(q1_dot + q2_dot)**2/2 + m*a*b*q1_dot*(q1_dot + q2_dot)*cos(q2)",
            hints=("The forearm turns at q1_dot + q2_dot.", "The velocities of elbow and forearm make the angle q2."),
        ),
        ExerciseQuestion("V", "m*g*a*sin(q1) + m*g*b*sin(q1 + q2)", hints=("How high is the point?",)),
        ExerciseQuestion(
            "equation of q2",
            "b*q2_ddot + (b + a*cos(q2))*q1_ddot + a*sin(q2)*q1_dot**2 + g*cos(q1 + q2) = 0",
            hints=("∂L/∂q2 has a part from T.", "The terms with q1_dot*q2_dot cancel; divide by m*b."),
        ),
    ),
)
