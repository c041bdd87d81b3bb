"""Spherical pendulum.

A point of mass m moves on a sphere of radius r. theta is its angle from the uppermost point, phi the angle about the
vertical; g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM §8.1.1"
exercise = Exercise(
    about=g.sources.load("spherical_pendulum").equations[0],
    coordinates="theta phi",
    symbols="m mass, r radius, g gravity, theta angle from the uppermost point, phi about the vertical",
    questions=(
        ExerciseQuestion(
            "L",
            "m*r**2*theta_dot**2/2 + m*r**2*sin(theta)**2*phi_dot**2/2 - m*g*r*cos(theta)",
            hints=("These are spherical coordinates.", "The radius of the circle of latitude is r*sin(theta)."),
        ),
        ExerciseQuestion(
            "equation of theta",
            "r*theta_ddot - r*sin(theta)*cos(theta)*phi_dot**2 - g*sin(theta) = 0",
            hints=("∂L/∂theta_dot = m*r**2*theta_dot.", "∂L/∂theta has two terms; theta is measured from above."),
        ),
        ExerciseQuestion(
            "equation of phi",
            "sin(theta)**2*phi_ddot + 2*sin(theta)*cos(theta)*theta_dot*phi_dot = 0",
            hints=("L does not depend on phi.", "∂L/∂phi_dot is constant; differentiate the product."),
        ),
    ),
)
