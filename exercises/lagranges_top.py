"""Lagrange's top.

A symmetric top of mass m turns about a fixed point of its axis; its centre of mass is at the distance r from it. I1 is
the moment of inertia across the axis, I3 that about it. alpha, beta and gamma are the angles of precession, of the axis
from the upward vertical, and of spin; g is the acceleration of gravity.
"""

import gauss as g
from gauss.sources import Exercise, ExerciseQuestion

SOURCE = "TM chapter 7"
exercise = Exercise(
    about=g.sources.load("tm_7_top").equations[0],
    coordinates="alpha beta gamma",
    symbols="m mass, r centre, g gravity, I1 across and I3 about the axis, alpha precession, beta nutation, gamma spin",
    questions=(
        ExerciseQuestion(
            "T",
            "I1*beta_dot**2/2 + I1*alpha_dot**2*sin(beta)**2/2 + I3*(gamma_dot + alpha_dot*cos(beta))**2/2",
            hints=(
                "Split the angular velocity along the axis and across it.",
                "Along it, it is gamma_dot + alpha_dot*cos(beta).",
            ),
        ),
        ExerciseQuestion("V", "m*g*r*cos(beta)", hints=("How high is the centre of mass?",)),
        ExerciseQuestion(
            "equation of beta",
            "I1*beta_ddot - I1*sin(beta)*cos(beta)*alpha_dot**2"
            " + I3*sin(beta)*alpha_dot*(gamma_dot + alpha_dot*cos(beta)) - m*g*r*sin(beta) = 0",
            hints=("∂L/∂beta_dot = I1*beta_dot.", "Both squares of T that have alpha_dot depend on beta."),
        ),
    ),
)
