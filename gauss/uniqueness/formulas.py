"""The conditions of higher order on the accelerations, written out."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.rows.frame import Frame

LARGEST = 12  # coordinates up to which conditions are written out


def formulas(frame: Frame, c: Conditions) -> tuple[str, ...]:
    """Return the conditions of orders 3 and 4 on the accelerations as text; of small systems only."""
    if frame.n > LARGEST:
        return ()
    L, names, zero = frame.metric.L, frame.system.coordinates, np.zeros(frame.n)
    texts = []
    for row, right in zip(c.rows, c.right, strict=True):
        texts.append("order 3: " + formula(np.zeros((frame.n, frame.n)), L @ row, -float(right), names))
    for w, alpha in zip(c.active.T, c.eliminating.T, strict=True):
        parts = [frame.combination(3, zero, w), frame.combination(2, zero, alpha)]
        H, g = sum(p.by_zz for p in parts), sum(p.by_z for p in parts)
        texts.append("order 4: " + formula(L @ H @ L.T / 2, L @ g, sum(p.value for p in parts), names))
    return tuple(texts)


def formula(H: Array, g: Array, c: float, names: tuple[str, ...]) -> str:
    """Return aᵀH a + gᵀa + c = 0 as text, with the second derivative of x written x''."""
    accelerations = [f"{name}''" for name in names]
    size = max(float(np.max(np.abs(H), initial=0.0)), float(np.max(np.abs(g), initial=0.0)), abs(c), 1e-300)
    terms: list[tuple[float, str]] = []
    for i in range(len(names)):
        terms.append((float(H[i, i]), f"{accelerations[i]}²"))
        terms += [(2.0 * float(H[i, j]), f"{accelerations[i]} {accelerations[j]}") for j in range(i + 1, len(names))]
    terms += [(float(x), a) for x, a in zip(g, accelerations, strict=True)]
    terms.append((c, ""))
    kept = [(x / size, word) for x, word in terms if abs(x) > 1e-9 * size]
    text = ""
    first = next((x for x, _ in kept), 1.0)
    for x, word in ((x * np.sign(first), word) for x, word in kept):
        number = "" if abs(abs(x) - 1.0) < 1e-9 and word else f"{abs(x):.6g} "
        sign = ("−" if x < 0.0 else "") if not text else (" − " if x < 0.0 else " + ")
        text += sign + (number + word).strip()
    return f"{text or '0'} = 0"
