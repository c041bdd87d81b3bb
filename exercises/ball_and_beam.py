"""Ball and beam.

A beam with the moment of inertia I turns about its middle by the angle phi from the horizontal. A ball, taken as a
point of mass m, slides along it without friction; r is its distance from the middle, and g the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM §4.1.1"
exercise = Exercise(
    about=g.sources.load("ball_and_beam").equations[0],
    coordinates="r phi",
    symbols="I moment of inertia, m mass, g gravity, r place along the beam, phi angle from the horizontal",
    questions=(
        ExerciseQuestion(
            "L",
            "(I + m*r**2)*phi_dot**2/2 + m*r_dot**2/2 - m*g*r*sin(phi)",
            hints=("The ball is at r*cos(phi), r*sin(phi).", "The square of its speed is r_dot**2 + r**2*phi_dot**2."),
        ),
        ExerciseQuestion(
            "equation of r",
            "m*r_ddot - m*r*phi_dot**2 + m*g*sin(phi) = 0",
            hints=("∂L/∂r_dot = m*r_dot.", "∂L/∂r = m*r*phi_dot**2 - m*g*sin(phi)."),
        ),
        ExerciseQuestion(
            "equation of phi",
            "(I + m*r**2)*phi_ddot + 2*m*r*r_dot*phi_dot + m*g*r*cos(phi) = 0",
            hints=("∂L/∂phi_dot = (I + m*r**2)*phi_dot.", "Its rate has a part from r, which changes as well."),
        ),
        ExerciseQuestion(
            "equilibria",
            "r = 0, phi = 0; r = 0, phi = pi",
            hints=("Both equations hold at rest.", "That of r fixes phi; that of phi then fixes r."),
        ),
    ),
)
