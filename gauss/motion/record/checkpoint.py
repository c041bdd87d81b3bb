"""`Checkpoint`: the file of one run, written as it goes, from which the same call goes on after whatever ended it.

It is the file of a `Trajectory`, of what has been computed so far, and holds in addition what makes the run itself
(model, start, options), and what it remembers at its last checkpoint, to the bit. A run that goes on from there so
takes the steps that it would have taken. Time decides when a checkpoint is written, and nothing in the run depends on
that. The file is written whole each time, beside and moved into place: the next time comes when the run has computed
`PATIENT` times as long as the writing took, so that all of it costs less than a twentieth of the run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gauss.errors import FileError, InputError, MotionWarning, described
from gauss.foundation import storage
from gauss.foundation.arrays import Array
from gauss.foundation.threads import warn
from gauss.foundation.version import __version__
from gauss.model import System
from gauss.model.state import State
from gauss.motion.record import files
from gauss.motion.record.described import described_contacts
from gauss.motion.record.fingerprint import fingerprint, fingerprint_at, require_control, require_same
from gauss.motion.record.likeness import attributes_of, code_of, differing, plain
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.steps.sampled import Sampled, ZeroOrderHold
from gauss.motion.steps.setting import Setting

SHORTEST = 10.0  # s between two checkpoints, at least
PATIENT = 20.0  # times that the writing of one took, that is computed before the next
LOOK = 1.0  # s, of which Ctrl-C may lose so much
AGAIN = ("interrupted", "failed")  # endings from which the same call goes on; the others are those of the motion
UNDER_WAY = "a checkpoint: the run was under way"  # message of the ending in a file of a run that goes on
REMEDY = " Choose another name, or remove the file."
WORDS = {  # what makes a run itself, in the order in which it is compared
    "system": "the system is",
    "coordinates": "the coordinates are",
    "rows": "the rows are",
    "contacts": "the frictional contacts are",
    "parameters": "the parameters are",
    "options": "the options are",
    "start": "the start and the end are",
}


def identity_of(system: System, start: State, t_end: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what makes a run itself, plain data ready for JSON: of functions their code.

    `options` are those of `simulate`; a sampled control is the `Sampled` one.
    """
    control, events = options.get("control"), tuple(options.get("events", ()))
    attributes: dict[str, str] = {}  # of a sampled control: gains, and what it remembers
    functions = {"the black-box force": system.black_box_force, "the control": control}
    functions |= {f"the event {event.name!r}": event.function for event in events}
    codes = {words: code_of(f, memory=False) for words, f in functions.items() if callable(f)}
    if isinstance(control, Sampled):
        codes["the control"] = code_of(control.function, memory=False)
        attributes = attributes_of(control.function)
    if control is not None and not callable(control):
        control = dict(zip(system.controls, system.theta(control)[len(system.parameters) :].tolist(), strict=True))
    rest = {"control": _form(control), "events": [_form(event) for event in events]}
    numbers = (start.t, *start.q.tolist(), *start.v.tolist(), float(t_end))
    names = ("t", *system.coordinates, *(f"d_{name}" for name in system.coordinates), "t_end")
    return {
        "system": system.name,
        "coordinates": list(system.coordinates),
        "rows": [f"{name} ({kind})" for name, kind in zip(system.row_names, system.model.kinds, strict=True)],
        "contacts": [str(contact) for contact in described_contacts(system)],
        "parameters": plain(system.parameters),
        "options": {name: plain(x) for name, x in sorted((dict(options) | rest).items())},
        "start": dict(zip(names, numbers, strict=True)),
        "functions": codes,
        "attributes": attributes,
        "model": fingerprint_at(system, start),
        "python": list(sys.version_info[:2]),  # the code of functions is that of one version
    }


def _form(value: Any) -> Any:
    """Return what a control or an event is, but for its function, whose code is compared by itself."""
    if hasattr(value, "plain"):
        return [_form(part) for part in value.plain()]
    return "a function" if callable(value) else value


class StoredRun(NamedTuple):
    """What is in the file of a run."""

    run: Trajectory  # without its model
    complete: bool  # whether nothing is left to be computed
    kept: dict[str, Any]  # what the run remembers, {} where it begins anew


class Checkpoint:
    """The file of one run; the same run goes on from it, unless it is to begin `anew`.

    >>> import gauss as g
    >>> ball = g.System("ball", "z", mass_matrix=[[2.0]], force=[-19.62])
    >>> anew = g.motion.Checkpoint("ball.nc", anew=True)  # an older file of that name is replaced
    >>> run = g.simulate(ball, [0.0], t_end=1.0, checkpoint=anew)
    >>> len(g.simulate(ball, [0.0], t_end=1.0, checkpoint="ball.nc")) == len(run)  # from the file
    True
    """

    def __init__(self, path: str | Path, anew: bool = False):
        self.path, self.anew = storage.as_path(path), anew
        files.require_name(self.path)
        storage.place_of(self.path)
        self.trouble = ""  # why it could not be written the last time
        self._identity: dict[str, Any] = {}
        self._due, self._look = time.monotonic() + SHORTEST, time.monotonic() + LOOK
        self._last: Callable[[], dict[str, Any]] | None = None  # what the run remembered a moment ago
        self._derived: dict[str, Array] = {}  # of the states that have been written

    def found(self, identity: dict[str, Any], system: System) -> StoredRun | None:
        """Return what is in the file of this run, None where there is none.

        Raises FileError for a file that is damaged, of something else or of another run; that says what differs.
        """
        self._identity = identity
        if self.anew or not self.path.exists():
            return None
        try:
            run, stored = Trajectory.of_file(self.path)
        except FileError as error:
            raise FileError(f"{error} To begin this run anew, remove it, or choose another name.") from None
        if stored is None:
            raise FileError(f"{self.path} is there, and holds a motion without a checkpoint.{REMEDY}")
        try:
            _require_same(self.path, stored["identity"], identity, system)
            if not stored["complete"] and stored["kept"] and stored["version"] != __version__:
                raise FileError(
                    f"{self.path} was begun by version {stored['version']} of this package, and this is {__version__}:"
                    f" the rest would not be that of the same run.{REMEDY} g.Trajectory.load reads what it has."
                )
            return StoredRun(run, bool(stored["complete"]), dict(stored["kept"]))
        except FileError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise self.damaged(error) from None

    def require_feedback(self, run: Trajectory, setting: Setting) -> None:
        """Raise FileError unless a feedback, which has no memory, gives the controls in the file of the run."""
        if run.controls is None:
            return
        try:
            require_control(setting, run.t, run.q, run.v, run.controls)
        except InputError as error:
            raise FileError(f"{self.path} is another run: {str(error).removesuffix('.')}.{REMEDY}") from None

    def go_on(self, run: Trajectory, count: int) -> None:
        """Take over the numbers in the file of the first `count` states, which a run goes on from."""
        self._derived = {name: x[:count] for name, x in run.stored.items()}

    def damaged(self, error: Exception) -> FileError:
        """Return the error for a file whose checkpoint is not what this version writes."""
        return FileError(f"{self.path} is damaged: {type(error).__name__}: {error}.{REMEDY}")

    def reached(self, kept: Callable[[], Callable[[], dict[str, Any]]], motion: Callable[[], Trajectory]) -> None:
        """Note that a run has come to where it can go on from, and write the file if it is time to.

        `kept` returns what makes plain data of what the run remembers now, `motion` what it has recorded.
        """
        now = time.monotonic()
        if now < self._look:
            return
        self._last, self._look = kept(), now + LOOK
        if now >= self._due:
            self._write(motion(), complete=False, kept=self._last())
            if self.trouble:
                with suppress(MotionWarning):  # where warnings are errors, this one ends nothing
                    warn(f"{self.trouble} The run goes on.", MotionWarning)

    def finish(self, run: Trajectory, kept: Mapping[str, Any]) -> None:
        """Write the file of a run that has ended; `kept` is what a complete one remembers."""
        complete = run.ending.kind not in AGAIN
        last = kept if complete else self._last() if self._last is not None else {}
        try:
            try:
                self._write(run, complete, last)
            except KeyboardInterrupt:  # the motion has ended, and its file is begun anew: only a second one gives up
                self._write(run, complete, last)
        except KeyboardInterrupt:
            self.trouble = f"{self.path} was not written, as Ctrl-C came meanwhile."
        if self.trouble:
            warn(f"{self.trouble} The motion is returned; its method `save` writes it.", MotionWarning)

    def _write(self, run: Trajectory, complete: bool, kept: Mapping[str, Any]) -> None:
        """Write the file; `trouble` says why it could not be written."""
        began = time.monotonic()
        record = {
            "identity": self._identity | {"attributes": self._gains(run)},
            "version": __version__,
            "complete": complete,
            "kept": kept,
        }
        model = run.model if run.setting is None else fingerprint(run.setting, run.t, run.q, run.v)
        try:
            if not complete:
                run = replace(run, setting=None, stored=self._derived_of(run))
            files.write(run.to_xarray(), model, self.path, record)
            self.trouble = ""
        except Exception as error:  # a full disk, say: what is computed is worth more
            self.trouble = f"The checkpoint {self.path} could not be written: {described(error)}"
        now = time.monotonic()
        self._due = now + max(SHORTEST, PATIENT * (now - began))

    def _gains(self, run: Trajectory) -> dict[str, str]:
        """Return the attributes of a sampled control that the run has left as they were: the others are a memory."""
        control = None if run.setting is None else run.setting.control
        now = attributes_of(control.sampled.function) if isinstance(control, ZeroOrderHold) else {}
        return {name: code for name, code in self._identity.get("attributes", {}).items() if now.get(name) == code}

    def _derived_of(self, run: Trajectory) -> dict[str, Array]:
        """Return what files have beside what was recorded; of states that were written before it is known."""
        done = len(self._derived.get("kinetic", ()))
        new = replace(run, **{name: getattr(run, name)[done:] for name in ("t", "q", "v", "active")})
        more = {name: np.asarray(getattr(new, name)) for name in files.DERIVED}
        if new.controls is not None and (not done or "controls" in self._derived):
            more["controls"] = new.controls
        self._derived = {name: np.concatenate([self._derived.get(name, x[:0]), x]) for name, x in more.items()}
        return self._derived


def _require_same(path: Path, stored: dict[str, Any], present: dict[str, Any], system: System) -> None:
    """Raise FileError, which names the first difference, unless the run in a file is the one that is asked for."""
    other = f"{path} is another run: "
    for key, words in WORDS.items():
        if stored[key] != present[key]:
            raise FileError(f"{other}{words} {differing(stored[key], present[key])}.{REMEDY}")
    for words in _changed(stored, present):
        raise FileError(f"{other}{words} has been changed.{REMEDY}")
    try:
        require_same(stored["model"], present["model"], system, "run")
    except InputError as error:
        raise FileError(f"{other}{error}") from None


def _changed(stored: dict[str, Any], present: dict[str, Any]) -> Iterable[str]:
    """Yield the functions and gains that are others now, as far as one version of Python tells."""
    if present["python"] == stored["python"]:
        for name, code in stored.get("attributes", {}).items():
            if present["attributes"].get(name) != code:
                yield f"the attribute {name!r} of the sampled control"
        for words, code in present["functions"].items():
            if stored["functions"].get(words) != code:
                yield words
