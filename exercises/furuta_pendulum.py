"""Furuta pendulum.

A vertical column turns by theta and carries a horizontal arm of length a; at its end a rod of length b with a point of
mass m swings by phi in the vertical plane of the arm, phi = 0 where it hangs. Column, arm and rod are massless; the
point is at the distance a + b*sin(phi) from the axis. g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM §4.1.2"
exercise = Exercise(
    about=g.sources.load("furuta_pendulum").equations[0],
    coordinates="theta phi",
    symbols="m mass, a arm, b rod, g gravity, theta angle of the column, phi angle of the rod",
    questions=(
        ExerciseQuestion(
            "T",
            "m*(a + b*sin(phi))**2*theta_dot**2/2 + m*b**2*phi_dot**2/2",
            hints=(
                "Turning and swinging are at right angles.",
                "The speeds are (a + b*sin(phi))*theta_dot and b*phi_dot.",
            ),
        ),
        ExerciseQuestion("V", "-m*g*b*cos(phi)", hints=("How far is the point below the arm?",)),
        ExerciseQuestion(
            "equation of theta",
            "m*(a + b*sin(phi))**2*theta_ddot + 2*m*(a + b*sin(phi))*b*cos(phi)*phi_dot*theta_dot = 0",
            hints=("L does not depend on theta.", "∂L/∂theta_dot = m*(a + b*sin(phi))**2*theta_dot is constant."),
        ),
        ExerciseQuestion(
            "equation of phi",
            "m*b**2*phi_ddot - m*(a + b*sin(phi))*b*cos(phi)*theta_dot**2 + m*g*b*sin(phi) = 0",
            hints=("∂L/∂phi_dot = m*b**2*phi_dot.", "∂L/∂phi has a part from T: the centrifugal one."),
        ),
    ),
)
