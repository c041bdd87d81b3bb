"""The table of a study: arrays over its points, in memory or in a Zarr file, written portion by portion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Indices
from gauss.studies.measured import KINDS, difference
from gauss.studies.points import RESERVED, Region, StudyPoints
from gauss.studies.question import PointResult

if TYPE_CHECKING:
    import xarray

MISSING, NOTHING = "missing", "not computed"  # ending and message of points that have not been computed
FAILED = ("refused", "failed")  # endings of points that can be asked for once more
ENDINGS: dict[str, tuple[str, Any, dict[str, str]]] = {  # name → kind, value where nothing was computed, words
    "until": ("f", np.nan, {"units": "s", "long_name": "time up to which the motion was followed"}),
    "distance": (
        "f",
        np.nan,
        {"long_name": "largest distance of the solver's accelerations from the certified ones, in the metric"},
    ),
    "residual": ("f", np.nan, {"long_name": "largest residual of the certificates, in the metric"}),
    "message": ("O", NOTHING, {"long_name": "message of the ending"}),
    "ending": ("O", MISSING, {"long_name": "kind of the ending"}),  # written last: it says that the rest is there
}
EMPTY: dict[str, Any] = {"f": np.nan, "c": complex(np.nan, np.nan), "O": ""}


class Memory:
    """Arrays in memory."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self.forms: dict[str, Any] = {}  # of the measures, by name

    def create(
        self,
        name: str,
        dims: Sequence[str],
        shape: tuple[int, ...],
        chunk: tuple[int, ...],
        kind: str,
        fill: Any,
        attrs: dict[str, Any],
    ) -> None:
        """Make an array that is `fill` everywhere."""
        self.arrays[name] = np.full(shape, fill, dtype=KINDS[kind])

    def settle(self, forms: dict[str, Any]) -> None:
        """Keep the forms of the measures."""
        self.forms = forms

    def made(self) -> None:
        """Note that arrays have been made."""


class StudyTable:
    """What is known of all points of a study."""

    def __init__(
        self,
        points: StudyPoints,
        chunk: tuple[int, ...],
        asked: tuple[str, ...],
        memory: Memory,
        units: Mapping[str, str],
    ):
        self.points, self.chunk, self.memory, self.asked, self.units = points, chunk, memory, asked, units
        for name, (kind, fill, attrs) in ENDINGS.items():
            if name not in memory.arrays:
                memory.create(name, points.dims, points.shape, chunk, kind, fill, attrs)
        for form in memory.forms.values():
            self._make(form)
        memory.made()

    @property
    def settled(self) -> bool:
        """Whether the form of each measure is known; until then portions are written in their order."""
        return all(name in self.memory.forms for name in self.asked)

    @property
    def endings(self) -> Any:
        """The kinds of the endings of all points, an array of texts."""
        return np.asarray(self.memory.arrays["ending"][...], dtype=object)

    def left(self, again: bool) -> list[tuple[Region, Indices]]:
        """Return the portions that are not complete, with their points to be computed; `again` those that failed."""
        endings = self.endings.ravel()
        wanted = np.array([ending == MISSING or (again and ending in FAILED) for ending in endings], dtype=bool)
        found = []
        for region in self.points.portions(self.chunk):
            some = self.points.within(region).ravel()
            if np.any(wanted[some]):
                found.append((region, some[wanted[some]]))
        return found

    def write(self, region: Region, answers: Sequence[PointResult]) -> None:
        """Write what has become of points of a portion; those of them that were there stay."""
        answers = [self._fitted(answer) for answer in answers]
        place = {int(index): k for k, index in enumerate(self.points.within(region).ravel())}
        blocks: dict[str, Any] = {}
        for name, array in self.memory.arrays.items():
            block = np.array(array[region])
            block = block if block.dtype.kind in "fc" else block.astype(object)
            blocks[name] = block
        for answer in answers:
            there = np.unravel_index(place[answer.index], blocks["ending"].shape)
            found = {key: x for each in answer.found.values() for key, x in each.variables.items()}
            for name in blocks:
                if name in ENDINGS:
                    blocks[name][there] = getattr(answer, name)
                else:
                    empty = EMPTY["f" if blocks[name].dtype.kind == "f" else blocks[name].dtype.kind]
                    blocks[name][there] = found[name].values[()] if name in found else empty
        for name in sorted(blocks, key=lambda name: name == "ending"):
            self.memory.arrays[name][region] = blocks[name]

    def _fitted(self, answer: PointResult) -> PointResult:
        """Return an answer without measures that have another form than at the first point; their form is kept."""
        for name, each in list(answer.found.items()):
            form, forms = each.form(), self.memory.forms
            if name not in forms:
                why = self._clash(form)
                if not why:
                    self.memory.settle(forms | {name: form})
                    self._make(form)
                    self.memory.made()
            else:
                why = difference(form, forms[name])
            if why:
                rest = {key: x for key, x in answer.found.items() if key != name}
                answer = replace(answer, ending="failed", message=f"the measure {name!r}: {why}.", found=rest)
        return answer

    def _clash(self, form: dict[str, Any]) -> str:
        """Return why a measure cannot be a part of the table; empty where it can."""
        others = [each for known in self.memory.forms.values() for each in known["variables"]]
        for name in form["variables"]:
            if name in (*RESERVED, *self.points.axes, *others):
                return f"the name {name!r} is taken already: another measure, a value of the study, or what is known"
        dims = {dim: size for x in form["variables"].values() for dim, size in zip(x["dims"], x["shape"], strict=True)}
        for known in self.memory.forms.values():
            for x in known["variables"].values():
                for dim, size in zip(x["dims"], x["shape"], strict=True):
                    if dims.get(dim, size) != size:
                        return f"the dimension {dim!r} has {dims[dim]} entries here and {size} in another measure"
            for dim, x in known["coords"].items():
                if dim in form["coords"] and form["coords"][dim]["values"] != x["values"]:
                    return f"the coordinate {dim!r} has other values than in another measure"
        taken = [dim for dim in dims if dim in (*self.points.axes, *self.points.dims)]
        return f"the dimension {taken[0]!r} is one of the study" if taken else ""

    def _make(self, form: dict[str, Any]) -> None:
        """Make the arrays of a measure that are not there yet."""
        for name, x in form["variables"].items():
            if name not in self.memory.arrays:
                shape = tuple(x["shape"])
                dims = (*self.points.dims, *x["dims"])
                sizes = self.points.shape + shape, self.chunk + tuple(max(size, 1) for size in shape)
                self.memory.create(name, dims, *sizes, x["kind"], EMPTY[x["kind"]], x["attrs"])

    def dataset(self, attrs: dict[str, Any]) -> xarray.Dataset:
        """Return the table as it is now."""
        import xarray

        data: dict[str, Any] = {}
        places: dict[str, Any] = {
            name: (self._dims_of(name), x, attrs_of(self.units, name)) for name, x in self.points.axes.items()
        }
        for form in self.memory.forms.values():
            for name, x in form["variables"].items():
                data[name] = ((*self.points.dims, *x["dims"]), self._values(name), x["attrs"])
            places |= {name: (x["dims"], np.array(x["values"]), x["attrs"]) for name, x in form["coords"].items()}
        for name, (_, _, about) in ENDINGS.items():
            data[name] = (self.points.dims, self._values(name), about)
        return xarray.Dataset(data, coords=places, attrs=attrs)

    def _dims_of(self, name: str) -> tuple[str, ...]:
        return (name,) if self.points.product else self.points.dims

    def _values(self, name: str) -> Any:
        values = np.asarray(self.memory.arrays[name][...])
        return values if values.dtype.kind in "fc" else values.astype(object)


def attrs_of(units: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the attributes of a value of the study."""
    return {"units": units[name]} if units.get(name) else {}


def require_free(names: Sequence[str], points: StudyPoints) -> None:
    """Raise InputError for measures whose names the table uses for something else."""
    for name in names:
        if name in (*RESERVED, *points.axes):
            raise InputError(f"a measure has the name {name!r}, which is a value of the study or always in the table.")
