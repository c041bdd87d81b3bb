"""Hopping leg on the ground.

A point of mass m stands on a massless leg of length l, whose foot does not move. phi is the angle of the leg from the
upward vertical. The leg has the energy k*l**2/2; g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM Ex. 4.3"
exercise = Exercise(
    about=g.sources.load("hopping_leg").equations[0],
    coordinates="l phi",
    symbols="m mass, k stiffness, g gravity, l length, phi angle from the upward vertical",
    questions=(
        ExerciseQuestion(
            "L",
            "m*l_dot**2/2 + m*l**2*phi_dot**2/2 - k*l**2/2 - m*g*l*cos(phi)",
            hints=("These are polar coordinates about the foot.", "The height is l*cos(phi)."),
        ),
        ExerciseQuestion(
            "equation of l",
            "m*l_ddot - m*l*phi_dot**2 + k*l + m*g*cos(phi) = 0",
            hints=("∂L/∂l_dot = m*l_dot.", "∂L/∂l has three terms."),
        ),
        ExerciseQuestion(
            "equation of phi",
            "l*phi_ddot + 2*l_dot*phi_dot - g*sin(phi) = 0",
            hints=("∂L/∂phi_dot = m*l**2*phi_dot.", "Its rate has two terms; divide by m*l."),
        ),
    ),
)
