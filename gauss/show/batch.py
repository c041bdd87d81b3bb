"""`gauss run A B …`: scenarios in their order; what fails in one, or Ctrl-C, does not lose what is known."""

from __future__ import annotations

import errno
import json
import math
import shlex
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from gauss import scenario as scenarios
from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import repeated_in
from gauss.foundation.processes import pool_of, processes_of
from gauss.motion import Checkpoint
from gauss.outcome import Outcome, run_scenario
from gauss.show.figures.overview import save_figure
from gauss.show.report import as_data, report
from gauss.show.terminal import BAD_INPUT, CLAIM_FAILED, INTERRUPTED, OK, complain, console


class JsonArray:
    """A JSON array on standard output, each element written when it is ready; laid out like ``json.dumps(indent=2)``.

    Numbers that are not finite become null. It is empty, or closed by `close`, whatever ends the program in between.
    """

    def __init__(self) -> None:
        self._begun = False

    def add(self, element: object) -> None:
        """Write one more element."""
        text = json.dumps(_finite(element), indent=2, ensure_ascii=False, default=str).replace("\n", "\n  ")
        self._write(f"{',' if self._begun else '['}\n  {text}")
        self._begun = True

    def close(self) -> None:
        """Write the end."""
        self._write("\n]\n" if self._begun else "[]\n")

    def _write(self, text: str) -> None:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:  # nobody reads any more
            console().on_broken_pipe()


def _finite(data: Any) -> Any:
    """Return plain data with None in the place of numbers that JSON does not have."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


class Reporting:
    """The page of `gauss run … --report PATH`, one for all scenarios; without a path it does nothing."""

    def __init__(self, path: Path | None = None, film: bool = False) -> None:
        self._film = film
        self._sections: list[Any] = []
        self._path = path
        if path is not None:
            self._path = _page().page_path(path)

    def section(self, outcome: Outcome, figure: Path | None, options: dict[str, Any]) -> tuple[Outcome, Any]:
        """Return an outcome with what the page says of it; a film that fails is a trouble of the outcome."""
        if self._path is None:
            return outcome, None
        with TemporaryDirectory(prefix="gauss-film-") as folder:
            film = None
            try:
                film = _page().film_of(outcome, Path(folder)) if self._film else None
            except (GaussError, OSError) as error:
                outcome = replace(outcome, troubles=(*outcome.troubles, described(error)))
            command = _command(outcome, options)
            return outcome, _page().outcome_section(outcome, figure, film, command)

    def keep(self, section: Any) -> None:
        """Keep what the page says of a scenario, if there is anything."""
        self._sections += [] if section is None else [section]

    def write(self) -> Path | None:
        """Write the page, if anything was run. Raises FileError."""
        return None if self._path is None or not self._sections else _page().write_page(self._sections, self._path)


def _page() -> ModuleType:
    """Return what makes pages, which takes long to import."""
    from gauss.show import notebook

    return notebook


def _command(outcome: Outcome, options: dict[str, Any]) -> str:
    """Return the command that runs a scenario again with the same options, those that are not left out."""
    scenario = outcome.scenario
    shipped = scenario.path.parent == scenarios.folder()
    given = {f"--{name.replace('_', '-')}": value for name, value in options.items() if value is not None}
    usual = {"--method": "dop853", "--solver": "osqp"}
    words = [f"{name} {shlex.quote(str(value))}" for name, value in given.items() if usual.get(name) != value]
    return " ".join(["gauss run", shlex.quote(scenario.name if shipped else str(scenario.path)), *words])


@dataclass(frozen=True)
class MotionFiles:
    """Where motions are written: the one of a run to a NetCDF file as it goes on, several to one for each."""

    save: Path | None = None  # of the NetCDF file
    resume: bool = False  # whether runs go on from what is there
    csv: bool = False  # whether tables are written, too
    folder: Path = Path()  # of the tables, where no NetCDF file is written
    several: bool = False  # whether the name of the scenario goes into that of its file

    def __post_init__(self) -> None:
        if self.save is not None:
            Checkpoint(self.save)  # refuses what cannot be written before anything is computed

    def place(self, name: str, ending: str) -> Path:
        """Return the file of a scenario."""
        if self.save is None:
            return self.folder / f"{name}{ending}"
        return self.save.with_name(f"{self.save.stem}{f'_{name}' if self.several else ''}{ending}")

    def checkpoint(self, name: str, method: object) -> Checkpoint | None:
        """Return the file that the run of a scenario is written to on its way, if there is one. Raises FileError."""
        if self.save is None or method == "auto":
            return None
        return Checkpoint(self.place(name, self.save.suffix), anew=not self.resume)


def run_all(
    names: list[str],
    folder: Path | None,
    as_json: bool,
    motions: MotionFiles | None = None,
    page: Reporting | None = None,
    jobs: int = 1,
    **options: Any,
) -> int:
    """Run scenarios, print and draw each one's result in their order as soon as it is there; return the exit status.

    Figures go into `folder`, if there is one, files of motions where `motions` says; a `page` is written at the end
    with what has been computed. What fails in a scenario is said in one line, and the next one follows; Ctrl-C ends all
    of them. `jobs` processes share them. Raises InputError for scenarios of one name, whose motions would be written to
    one file, and the GaussError of a single scenario that cannot be run.
    """
    processes = processes_of(jobs, max(len(names), 1))
    twice = repeated_in([Path(name).stem for name in names]) if motions is not None and motions.save else []
    if twice:
        raise InputError(f"several scenarios have the name {twice[0]!r}: their motions would be written to one file.")
    array, status, drawn = JsonArray() if as_json else None, OK, False
    page = page or Reporting()
    told = options | {"progress": "none" if as_json or processes > 1 else "auto"}
    asked = _asked(names, processes, folder, as_json, motions or MotionFiles(), page, told)
    try:
        for name, ask in zip(names, asked, strict=True):
            try:
                found = ask()
                drawn, status = drawn or found.drawn, max(status, found.status)
                page.keep(found.section)
                if found.why:
                    _lost(name, found.why, array)
                elif array is None:
                    console().print(found.shown)
                else:
                    array.add(found.shown)
            except CancelledError:  # by Ctrl-C
                continue
            except KeyboardInterrupt:
                status = INTERRUPTED
                _lost(name, "interrupted before there was a result", array)
            except GaussError as error:
                if len(names) == 1:
                    array = None
                    raise
                status = max(status, BAD_INPUT)
                _lost(name, described(error), array)
            except BaseException as error:  # of a model's own code, a full disk, or a defect of ours
                status = max(status, CLAIM_FAILED)
                _lost(name, described(error), array)
            if status == INTERRUPTED and processes == 1:
                break
    finally:
        if array is not None:
            status = max(status, _closed(array))
    written = page.write()
    if written is not None and not as_json:
        console().print(f"report  {written}", style="bold", soft_wrap=True)
    if drawn and folder is not None and not as_json:
        console().print(f"figures are in {folder.resolve()}", style="bold", soft_wrap=True)
    return status


@dataclass(frozen=True)
class Told:
    """What is to be said of one scenario."""

    status: int
    shown: Any = None  # a report, or plain data for JSON
    drawn: bool = False
    section: Any = None  # of the page about all
    why: str = ""  # there is no result


def _asked(names: list[str], processes: int, *how: Any) -> list[Callable[[], Told]]:
    """Return for each scenario what gives its result: it is computed then, or other processes do that meanwhile."""
    if processes == 1:
        return [partial(_told, name, *how) for name in names]
    pool = pool_of(processes)
    futures = [pool.submit(_elsewhere, name, *how) for name in names]

    def result(future: Future[Told]) -> Told:
        try:
            return future.result()
        except KeyboardInterrupt:  # the other processes have been told too, and come back with what they have
            for each in futures:
                each.cancel()
            found = future.result() if not future.cancelled() else Told(INTERRUPTED, why="interrupted before it began")
            return replace(found, status=INTERRUPTED)

    return [partial(result, future) for future in futures]


def _elsewhere(name: str, *how: Any) -> Told:
    """Return what is to be said of a scenario that another process runs; its errors as words."""
    try:
        return _told(name, *how)
    except KeyboardInterrupt:
        return Told(INTERRUPTED, why="interrupted before there was a result")
    except BaseException as error:
        return Told(BAD_INPUT if isinstance(error, GaussError) else CLAIM_FAILED, why=described(error))


def _told(
    name: str,
    folder: Path | None,
    as_json: bool,
    motions: MotionFiles,
    page: Reporting,
    options: dict[str, Any],
) -> Told:
    """Run a scenario, draw it, write its motion, and return what is to be said."""
    outcome, figure = _ran(name, folder, motions, options)
    given = {name: value for name, value in options.items() if name != "progress"}
    outcome, section = page.section(outcome, figure, given)
    shown = as_data(outcome, figure) if as_json else report(outcome, figure)
    return Told(_status(outcome), shown, figure is not None, section)


def _ran(name: str, folder: Path | None, motions: MotionFiles, options: dict[str, Any]) -> tuple[Outcome, Path | None]:
    """Return the outcome of a scenario and its figure; files and figures that fail are troubles of the outcome."""
    loops = options.get("loops")
    scenario, options = scenarios.load(name, loops), {key: x for key, x in options.items() if key != "loops"}
    checkpoint = None if scenario.start.t_end is None else motions.checkpoint(scenario.name, options.get("method"))
    outcome, figure = run_scenario(scenario, checkpoint=checkpoint, **options), None
    outcome = _written(outcome, motions, checkpoint)
    begun = time.perf_counter()
    quiet = folder is None or options.get("progress") == "none"
    try:
        with nullcontext() if quiet else console(error=True).status(f"{scenario.name}: drawing the figure …"):
            figure = save_figure(outcome, folder) if folder is not None else None
        outcome = replace(outcome, drawing=time.perf_counter() - begun)
    except KeyboardInterrupt:
        outcome = replace(outcome, interrupted=True)
    except BaseException as error:
        outcome = replace(outcome, troubles=(*outcome.troubles, described(error)))
    return outcome, figure


def _written(outcome: Outcome, motions: MotionFiles, checkpoint: Checkpoint | None) -> Outcome:
    """Write the motion of an outcome to files; one that cannot be written is a trouble of the outcome."""
    run, name = outcome.run, outcome.scenario.name
    troubles = [checkpoint.trouble] if checkpoint is not None and checkpoint.trouble else []
    wanted: list[tuple[Callable[[Path], Path], Path]] = []
    if run is not None and motions.save is not None and checkpoint is None:
        wanted.append((run.save, motions.place(name, motions.save.suffix)))
    if run is not None and motions.csv:
        wanted.append((run.to_csv, motions.place(name, ".csv")))
    tables: list[Path] = []
    for write, target in wanted:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write(target)
            tables += [target] if target.suffix == ".csv" else []
        except (GaussError, OSError) as error:
            troubles.append(described(error))
    return replace(outcome, troubles=(*outcome.troubles, *troubles), tables=tuple(tables))


def _lost(name: str, why: str, array: JsonArray | None) -> None:
    """Say that a scenario has no result, and why: on standard error, and for programs."""
    complain(name, why)
    if array is not None:
        with suppress(OSError):  # where nothing can be written, that is what has just been said
            array.add({"name": name, "error": why, "passed": False})


def _closed(array: JsonArray) -> int:
    """Close the array; return the exit status."""
    try:
        array.close()
    except OSError as error:
        complain("standard output", f"the JSON is not complete: {error.strerror or error}")
        return CLAIM_FAILED
    return OK


def _status(outcome: Outcome) -> int:
    if outcome.interrupted:
        return INTERRUPTED
    return OK if outcome.passed else CLAIM_FAILED
