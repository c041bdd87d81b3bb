"""Moving pictures: bodies drawn in stages, films, the viewer in a browser."""
