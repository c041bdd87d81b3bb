"""Pendulum on a cart.

A cart of mass M moves along a horizontal rail without friction; X is its position. It carries a massless rod of length
l with a point of mass m at its end. phi is the angle of the rod from the upward vertical, so that the point is at
X + l*sin(phi), at the height l*cos(phi); g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM Ex. 4.2"
exercise = Exercise(
    about=g.sources.load("inverted_pendulum").equations[0],
    coordinates="X phi",
    symbols="M mass of the cart, m of the point, l length, g gravity, X position, phi angle from the upward vertical",
    questions=(
        ExerciseQuestion(
            "T",
            "(M + m)*X_dot**2/2 + m*l*X_dot*phi_dot*cos(phi) + m*l**2*phi_dot**2/2",
            hints=(
                "Write the position of the point, then its velocity.",
                "The velocity is X_dot + l*phi_dot*cos(phi) along the rail and -l*phi_dot*sin(phi) upwards.",
            ),
        ),
        ExerciseQuestion(
            "V", "m*g*l*cos(phi)", hints=("Only the point changes its height.", "Its height is l*cos(phi).")
        ),
        ExerciseQuestion(
            "equation of X",
            "(M + m)*X_ddot + m*l*phi_ddot*cos(phi) - m*l*phi_dot**2*sin(phi) = 0",
            hints=(
                "L does not depend on X: which momentum is conserved?",
                "Differentiate (M + m)*X_dot + m*l*phi_dot*cos(phi).",
            ),
        ),
        ExerciseQuestion(
            "equation of phi",
            "l*phi_ddot + X_ddot*cos(phi) - g*sin(phi) = 0",
            hints=(
                "∂L/∂phi_dot = m*l*X_dot*cos(phi) + m*l**2*phi_dot.",
                "∂L/∂phi = -m*l*X_dot*phi_dot*sin(phi) + m*g*l*sin(phi).",
                "Two terms with X_dot*phi_dot cancel.",
            ),
        ),
        ExerciseQuestion(
            "equilibria",
            "phi = 0; phi = pi",
            hints=("At rest all rates and second rates vanish; X may be any.", "Where is sin(phi) zero?"),
        ),
        ExerciseQuestion(
            "omega",
            "sqrt((M + m)*g/(M*l))",
            text="about phi = pi",
            hints=("Put phi = pi + epsilon and keep first powers.", "Eliminate X_ddot by the equation of X."),
        ),
    ),
)
