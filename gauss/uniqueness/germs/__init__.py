"""What the set φ(q) = 0 of holonomic rows is near one of its points, to any order.

Where the Jacobian has full rank the set is a smooth manifold. Elsewhere it may be several curves that cross or touch,
a cusp, an isolated point, or a manifold all the same. Power series of the rows decide, with 77 digits and with the
rounding of the model's own constants beside every coefficient.

    series      the rows' operations on truncated power series in several variables, each coefficient with its noise
    parts       rows that share no coordinates with others, as functions of their own coordinates
    elimination which rows are independent, and the coordinates that they are solved for
    reduction   independent rows are solved for these coordinates; the other rows become equations in those left
    roots       real roots of a polynomial with their multiplicities
    puiseux     all real branches of a plane curve g(x, y) = 0 at the origin
    branches    which of these branches satisfy every equation
    germ        `germ_of`: the answer, with the curves in the coordinates of the system
    sheets      how many sheets of one equation in many coordinates a motion can take, and with which accelerations
    motions     which velocities and accelerations the germ admits
    curve       a branch as a curve over an interval, through points with many digits
"""

from gauss.foundation.zero import UNIT
from gauss.uniqueness.germs.motions import motions_at
from gauss.uniqueness.germs.numbers import DUST
from gauss.uniqueness.germs.reduction import Reduction, point_of, rank_of
from gauss.uniqueness.germs.roots import real_roots

__all__ = [
    "DUST",
    "UNIT",
    "Reduction",
    "motions_at",
    "point_of",
    "rank_of",
    "real_roots",
]
