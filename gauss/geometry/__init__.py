"""Shapes that weigh, touch and are drawn; rotations, vectors and inertia: geometry of bodies, without mechanics."""

from gauss.geometry.inertia import second_of_tensor, tensor_of_second
from gauss.geometry.shapes import Ball, Points, Polygon, Polyline, at_quaternion, equivalent_box, equivalent_ellipsoid
from gauss.geometry.surfaces import gradient_of
from gauss.geometry.vectors import across

__all__ = [
    "Ball",
    "Points",
    "Polygon",
    "Polyline",
    "across",
    "at_quaternion",
    "equivalent_box",
    "equivalent_ellipsoid",
    "gradient_of",
    "second_of_tensor",
    "tensor_of_second",
]
