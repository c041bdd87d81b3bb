"""Unit quaternions (w, x, y, z) of many bodies: products, turning by rotation vectors, rotation matrices."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array


def times(a: Array, b: Array) -> Array:
    """Return the products (k, 4) of quaternions."""
    w, x = a[:, :1], a[:, 1:]
    u, y = b[:, :1], b[:, 1:]
    real = w * u - np.sum(x * y, axis=1, keepdims=True)
    return np.hstack([real, w * y + u * x + np.cross(x, y)])


def turn(quaternion: Array, rotation: Array) -> Array:
    """Return quaternions (k, 4) turned by rotation vectors (k, 3) in the body's axes, of unit length."""
    angle = np.linalg.norm(rotation, axis=1, keepdims=True)
    half = np.hstack([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * rotation])
    turned = times(quaternion, half)
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))


def matrices(quaternion: Array) -> Array:
    """Return the rotation matrices (k, 3, 3) from the body's axes to the world's."""
    w, x, y, z = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)
