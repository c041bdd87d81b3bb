"""Elastic spherical pendulum.

A point of mass m hangs on a massless telescopic arm of length l with the energy k*l**2/2. theta is the angle of the arm
from the downward vertical, phi the angle of its plane about the vertical; g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM Ex. 4.7"
exercise = Exercise(
    about=g.sources.load("elastic_pendulum").equations[1],
    coordinates="l theta phi",
    symbols="m mass, k stiffness, g gravity, l length, theta angle from the downward vertical, phi about it",
    questions=(
        ExerciseQuestion(
            "T",
            "m*(l_dot**2 + l**2*theta_dot**2 + l**2*sin(theta)**2*phi_dot**2)/2",
            hints=("These are spherical coordinates.", "The three parts of the velocity are at right angles."),
        ),
        ExerciseQuestion(
            "V",
            "k*l**2/2 - m*g*l*cos(theta)",
            hints=("Add the energies of spring and weight.", "The height is -l*cos(theta)."),
        ),
        ExerciseQuestion(
            "equation of l",
            "m*l_ddot - m*l*theta_dot**2 - m*l*sin(theta)**2*phi_dot**2 - m*g*cos(theta) + k*l = 0",
            hints=("Which terms of L have l?", "Both angles give a centrifugal term."),
        ),
        ExerciseQuestion(
            "equation of theta",
            "l*theta_ddot + 2*l_dot*theta_dot - l*sin(theta)*cos(theta)*phi_dot**2 + g*sin(theta) = 0",
            hints=("∂L/∂theta_dot = m*l**2*theta_dot.", "Its rate has a part with l_dot."),
        ),
    ),
)
