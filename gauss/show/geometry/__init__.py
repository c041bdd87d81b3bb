"""Pictures of rows and cones at one state."""

from gauss.show.geometry.cone import section_of
from gauss.show.geometry.geometry import Turned, draw_cone, draw_geometry, turning_force
from gauss.show.geometry.labels import crowded, place
from gauss.show.geometry.region import Picture, clip
from gauss.show.geometry.space import cone_of

__all__ = [
    "Picture",
    "Turned",
    "clip",
    "cone_of",
    "crowded",
    "draw_cone",
    "draw_geometry",
    "place",
    "section_of",
    "turning_force",
]
