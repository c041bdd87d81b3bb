"""Moving pictures: bodies drawn in stages, films, the viewer in a browser."""

from gauss.show.film.pieces import pieces_of, shown_states, toward, triangles

__all__ = [
    "pieces_of",
    "shown_states",
    "toward",
    "triangles",
]
