"""Shares that mean the same wherever they are used: what is zero, one, or settled beside numbers of its own kind.

Where the noise of a number is known, `gauss.foundation.zero` decides instead. Stationary points
(`numerics.quadrics.types`), contact forces (`contact.forces.polyhedra`) and assembled poses have shares of their own.
"""

import numpy as np

EPS = float(np.finfo(float).eps)  # the spacing of numbers at one
DEPENDENT = 1e-9  # singular values and pivots of unit rows below this share of the largest: the rows are dependent
DETERMINED = 1e-9  # share of a quantity in the combinations that vanish, up to which it is determined by the rest
PRESSES = 1e-9  # share of the largest contact force from which a contact counts as loaded
RESTS = 1e-9  # speeds, slips and their changes below this share of what makes them are none
ORTHOGONAL = 1e-9  # entries of RᵀR − 1 up to this are rounding of the input, or the drift of a motion
HELD = 1e-12  # a row of which less than this share is left by the bilateral rows has no freedom
SIZES_ONLY = 1e-6  # rank tolerance where only sizes are wanted
STEP = 1e-30  # of a complex step: its square is lost beside every coordinate
NEVER = 1e300  # stands for "no unilateral row": larger than any multiplier
SAME = 1e-7  # solutions, velocities and accelerations nearer than this share of the largest are one
DOUBTFUL = (1e-14, 1e-8)  # a relative singular value inside this band makes the rank a matter of tolerance
SINE = 5e-7  # smaller singular values are decomposed: the inverse iteration knows only their squares
SETTLED = 1e-13  # relative change at which an iteration has converged
NUDGE = 1e-6  # relative change of a coordinate or a velocity in difference quotients, of which only the size counts
NEXT = 0.001  # singular values below this share of the others are those of a singular position next to a state
GAIN = 1e-10  # energy created by an impact that counts as rounding, relative to the kinetic energy
ACCEPTED = 1e-10  # residual of a certified step, relative to the rates
