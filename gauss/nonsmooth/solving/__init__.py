"""The contact problem of a time step, solved and certified."""

from gauss.nonsmooth.solving.band import BandBlocks
from gauss.nonsmooth.solving.blocks import Blocks
from gauss.nonsmooth.solving.bodies import BodyBlocks
from gauss.nonsmooth.solving.homotopy import followed
from gauss.nonsmooth.solving.interior import interior
from gauss.nonsmooth.solving.newton import newton
from gauss.nonsmooth.solving.solver import Centre, proximal
from gauss.nonsmooth.solving.splitting import split

__all__ = [
    "BandBlocks",
    "Blocks",
    "BodyBlocks",
    "Centre",
    "followed",
    "interior",
    "newton",
    "proximal",
    "split",
]
