"""Pendulum.

A point of mass m hangs on a massless rod of length l and swings in a vertical plane; phi is its angle from the lowest
point and g the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM §2.4.2"
exercise = Exercise(
    about=g.sources.load("mathematical_pendulum").equations[0],
    coordinates="phi",
    symbols="m mass, l length, g gravity, phi angle from the lowest point",
    questions=(
        ExerciseQuestion(
            "T", "m*l**2*phi_dot**2/2", hints=("The point moves on a circle of radius l.", "Its speed is l*phi_dot.")
        ),
        ExerciseQuestion(
            "V",
            "-m*g*l*cos(phi)",
            hints=(
                "How high is the point above the pivot?",
                "Its height is -l*cos(phi); the lowest point is at phi = 0.",
            ),
        ),
        ExerciseQuestion(
            "equation of phi",
            "m*l**2*phi_ddot + m*g*l*sin(phi) = 0",
            hints=("d/dt of ∂L/∂phi_dot is ∂L/∂phi.", "∂L/∂phi_dot = m*l**2*phi_dot.", "∂L/∂phi = -m*g*l*sin(phi)."),
        ),
        ExerciseQuestion(
            "equilibria",
            "phi = 0; phi = pi",
            hints=("Where does the equation hold with phi_ddot = 0?", "Where is sin(phi) zero?"),
        ),
        ExerciseQuestion(
            "omega",
            "sqrt(g/l)",
            text="about phi = 0",
            hints=("Put sin(phi) = phi.", "phi_ddot = -omega**2*phi."),
        ),
    ),
)
