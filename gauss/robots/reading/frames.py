"""Frames of SDFormat: links, joints, frames and models, with poses that are relative to one another."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.rotations import euler
from gauss.robots.reading.description import WORLD
from gauss.robots.reading.markup import numbers


@dataclass(eq=False)
class _PosedFrame:
    """A link, joint, frame or model of the file: its pose is relative to another one."""

    element: ET.Element
    to: str  # of which frame its pose is
    holder: str  # the link, or the frame, that it moves with
    pose: tuple[Array, Array]
    found: tuple[Array, Array] | None = None  # in space
    asked: bool = False


def model_frame(scope: str) -> str:
    """Return the name of the frame of a model, whose own frames have `scope` before their names."""
    return scope.removesuffix("::") or "__model__"


class Frames:
    """The frames of all models of a file, by name: of models in a model with the name of that and :: before theirs."""

    def __init__(self, root: ET.Element, source: str):
        self.source = source
        self.frames: dict[str, _PosedFrame] = {}
        self.static: set[str] = set()  # links of models that do not move
        self.misplaced: list[str] = []  # models with a placement frame
        self.version = tuple(int(x) for x in root.get("version", "1.7").split(".")[:2] if x.isdigit())

    def read(self, models: list[ET.Element]) -> None:
        """Read the frames of models in one world."""
        for model in models:
            scope = f"{self.named(model)}::" if len(models) > 1 else ""
            self._collect(model, scope, model_frame(scope), WORLD, False)

    def of(self, tag: str) -> list[tuple[str, ET.Element]]:
        """Return the elements of a kind with their whole names."""
        return [(name, frame.element) for name, frame in self.frames.items() if frame.element.tag == tag]

    # ------------------------------------------------------------------ texts

    def text(self, element: ET.Element | None, path: str, otherwise: str = "") -> str:
        """Return the text of an element that may be left out."""
        found = None if element is None else element.find(path)
        return otherwise if found is None else (found.text or "").strip()

    def numbers(self, element: ET.Element | None, path: str, size: int, otherwise: str = "") -> Array:
        """Return the numbers of an element. Raises InputError."""
        text = self.text(element, path, otherwise)
        tag = "" if element is None else f"{element.tag} {element.get('name', '')}".strip()
        return numbers(text, size, f"{self.source}: <{path.rpartition('/')[2]}>{text}</> in <{tag}>")

    def number(self, element: ET.Element | None, path: str, otherwise: float) -> float:
        """Return the number of an element, which may be infinite. Raises InputError."""
        text = self.text(element, path) or repr(otherwise)
        if text.lstrip("+-").lower() in ("inf", "infinity"):
            return float(text)
        return float(numbers(text, 1, f"{self.source}: <{path}>{text}</>")[0])

    def named(self, element: ET.Element) -> str:
        """Return the name of an element. Raises InputError."""
        name = element.get("name")
        if not name:
            raise InputError(f"{self.source}: a <{element.tag}> has no name.")
        return name

    def pose(self, element: ET.Element) -> tuple[Array, Array]:
        """Return the place and the axes of a pose; its angles are about fixed axes x, y, z."""
        given = element.find("pose")
        text = (given.text or "").strip() if given is not None else ""
        where = f"{self.source}: the <pose> {text!r} of {element.get('name') or element.tag!r}"
        if given is not None and given.get("rotation_format", "euler_rpy") == "quat_xyzw":
            found = numbers(text or "0 0 0 0 0 0 1", 7, where)
            if not np.any(found[3:]):
                raise InputError(f"{where} has the quaternion 0, which is no rotation.")
            return found[:3], np.asarray(scipy.spatial.transform.Rotation.from_quat(found[3:]).as_matrix())
        found = numbers(text or "0 0 0 0 0 0", 6, where)
        if given is not None and given.get("degrees", "false") in ("true", "1"):
            found[3:] = np.radians(found[3:])
        return found[:3], euler("xyz", *found[3:].tolist())

    # ------------------------------------------------------------------ frames

    def _collect(self, model: ET.Element, scope: str, own: str, outer: str, static: bool) -> None:
        """Name all frames of a model; those of models in it with the name of the model before theirs."""
        links = model.findall("link")
        inner = model.findall("model")
        static = static or self.text(model, "static") in ("true", "1")
        canonical = model.get("canonical_link") or (self.named(links[0]) if links else "")
        if not canonical and inner:
            canonical = self.named(inner[0])
        holder = scope + canonical if canonical else WORLD
        placed = model.get("placement_frame")
        if placed:
            self.misplaced.append(own)
        self._add(own, model, self._to(model, outer, scope.removesuffix(f"{model.get('name')}::")), holder)
        if static:
            self.static.add(scope)
        for element in links:
            self._add(scope + self.named(element), element, self._to(element, own, scope), "")
            if static:
                self.static.add(scope + self.named(element))
        for element in model.findall("frame"):
            on = element.get("attached_to") or ""
            to = self._to(element, scope + on if on else own, scope)
            self._add(scope + self.named(element), element, to, scope + on if on else own)
        for element in model.findall("joint"):
            child = self.text(element, "child")
            holder = self.scoped(child, scope)
            self._add(scope + self.named(element), element, self._to(element, holder, scope), holder)
        for element in inner:
            name = scope + self.named(element)
            self._collect(element, f"{name}::", name, own, static)

    def _to(self, element: ET.Element, otherwise: str, scope: str) -> str:
        """Return the frame that the pose of an element is relative to."""
        given = element.find("pose")
        word = "" if given is None else given.get("relative_to") or given.get("frame") or ""
        return otherwise if not word else self.scoped(word, scope)

    def scoped(self, word: str, scope: str) -> str:
        """Return the whole name of a frame that is named within a model."""
        if word == "__model__":
            return model_frame(scope)
        return WORLD if word == "world" else scope + word

    def _add(self, name: str, element: ET.Element, to: str, holder: str) -> None:
        if name in self.frames and name != "__model__":
            raise InputError(f"{self.source}: there are several frames {name!r}.")
        self.frames[name] = _PosedFrame(element, to, holder or name, self.pose(element))

    def known(self, name: str, asker: str) -> _PosedFrame:
        """Return a frame. Raises InputError for an unknown one."""
        if name not in self.frames:
            raise InputError(f"{self.source}: {asker!r} names {name!r}, which is no link, joint, frame or model.")
        return self.frames[name]

    def at(self, name: str) -> tuple[Array, Array]:
        """Return the origin and the axes of a frame in space. Raises InputError for a circle of poses."""
        if name == WORLD:
            return np.zeros(3), np.eye(3)
        frame = self.frames[name]
        if frame.found is None:
            if frame.asked:
                raise InputError(f"{self.source}: the pose of {name!r} is relative to itself, in a circle.")
            frame.asked = True
            if frame.to != WORLD:
                self.known(frame.to, name)
            p, R = self.at(frame.to)
            frame.found = p + R @ frame.pose[0], R @ frame.pose[1]
        return frame.found

    def link_of(self, name: str, asker: str) -> str:
        """Return the link that a frame moves with. Raises InputError."""
        seen: list[str] = []
        while name != WORLD:
            frame = self.known(name, asker)
            if frame.element.tag == "link":
                return name
            if name in seen:
                raise InputError(f"{self.source}: the frame {name!r} is attached to itself, in a circle.")
            seen.append(name)
            name = frame.holder
        return WORLD
