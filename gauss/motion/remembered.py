"""What a run remembers beside its records, as plain data ready for JSON, and back: to the bit.

Objects that change on the way name the attributes that the rest of the run depends on in `KEPT`; all others are made
anew. Nothing is executed when plain data is read: it has numbers, texts, arrays and the records of `KINDS`.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal

import numpy as np

from gauss.model import System
from gauss.model.state import State
from gauss.motion.contacts.friction import ContactModes
from gauss.motion.contacts.shared import Shared
from gauss.motion.record.blocks import StepBlock
from gauss.motion.record.described import MotionEvent
from gauss.motion.singular.collocation import Window
from gauss.motion.singular.missing import Approach
from gauss.motion.steps.setting import Setting, Slide

KINDS = {cls.__name__: cls for cls in (Approach, ContactModes, MotionEvent, Shared, Slide, State, StepBlock, Window)}


def kept(thing: Any) -> dict[str, Any]:
    """Return what an object remembers, by the names in its `KEPT`, of parts that remember something as well."""
    found = {name: getattr(thing, name) for name in thing.KEPT}
    return {name: kept(x) if hasattr(x, "KEPT") else packed(x) for name, x in found.items()}


def put(thing: Any, plain: Mapping[str, Any], own: Mapping[str, object]) -> None:
    """Let an object remember what `kept` has returned; `own` are the System and the Setting of the run."""
    for name in thing.KEPT:
        part = getattr(thing, name)
        if hasattr(part, "KEPT"):
            put(part, plain[name], own)
        else:
            setattr(thing, name, unpacked(plain[name], own))


def packed(value: Any) -> Any:
    """Return plain data for a value. Raises TypeError for what no run remembers."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        order: Literal["C", "F"] = "F" if value.flags.fnc else "C"  # sums of products depend on it in their last bits
        return {"array": [value.dtype.str, list(value.shape), order, base64.b64encode(value.tobytes(order)).decode()]}
    if isinstance(value, list):
        return [packed(x) for x in value]
    if isinstance(value, deque):
        return {"deque": [value.maxlen, [packed(x) for x in value]]}
    if isinstance(value, tuple):
        return {"tuple": [packed(x) for x in value]}
    if isinstance(value, dict):
        return {"dict": [[packed(key), packed(x)] for key, x in value.items()]}
    if isinstance(value, System | Setting):
        return {"own": "system" if isinstance(value, System) else "setting"}
    if type(value) is KINDS.get(type(value).__name__):
        return {"record": [type(value).__name__, {f.name: packed(getattr(value, f.name)) for f in fields(value)}]}
    raise TypeError(f"a run does not remember a {type(value).__name__}")


def unpacked(plain: Any, own: Mapping[str, object]) -> Any:
    """Return the value that `packed` has made plain. Raises KeyError, TypeError and ValueError for anything else."""
    if isinstance(plain, list):
        return [unpacked(x, own) for x in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, content),) = plain.items()
    if kind == "array":
        dtype, shape, order, text = content
        return np.frombuffer(base64.b64decode(text), np.dtype(dtype)).reshape(shape, order=order).copy(order)
    if kind == "tuple":
        return tuple(unpacked(x, own) for x in content)
    if kind == "deque":
        return deque((unpacked(x, own) for x in content[1]), content[0])
    if kind == "dict":
        return {unpacked(key, own): unpacked(x, own) for key, x in content}
    if kind == "own":
        return own[content]
    if kind != "record":
        raise ValueError(f"{kind!r} is no kind of plain data")
    name, values = content
    return KINDS[name](**{key: unpacked(x, own) for key, x in values.items()})
