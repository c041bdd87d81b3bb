"""Moving pictures: bodies drawn in stages, films, the viewer in a browser."""

from gauss.show.film.film import delays
from gauss.show.film.pieces import pieces_of, shown_states, smoothed, toward, triangles

__all__ = [
    "delays",
    "pieces_of",
    "shown_states",
    "smoothed",
    "toward",
    "triangles",
]
