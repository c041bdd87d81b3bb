"""The names of `gauss`, few at the front door, and of its rooms: each is shown, and what is shown runs."""

from __future__ import annotations

import doctest
import inspect
import sys
from pathlib import Path

import pytest

import gauss as g

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs" / "_extension"))
from api import Reference, methods
from shown import example_of, used

NAMES = [name for name in g.__all__ if name != "__version__"]
REFERENCE = Reference()


def shown() -> dict[str, object]:
    """Whatever has an example: names of the front door and of the rooms, methods, and the rooms themselves."""
    found = {f"gauss.{room}": module for room, module in REFERENCE.modules.items()}
    for name, value in REFERENCE.values.items():
        found[name] = value
        if inspect.isclass(value):
            found |= {f"{name}.{part}": inspect.getattr_static(value, part) for part in methods(value)}
    return {name: value for name, value in found.items() if example_of(value)}


EXAMPLES = shown()


def test_the_front_door_is_small():
    assert len(NAMES) <= 46
    assert len(NAMES) == len(set(NAMES))


def test_every_name_of_the_front_door_has_an_example():
    assert [name for name in NAMES if not example_of(getattr(g, name))] == []


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_prints_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(EXAMPLES[name]) or "")
    found = doctest.DocTest(examples, {}, name, None, None, None)
    assert doctest.DocTestRunner(verbose=False).run(found, out=print).failed == 0


def test_every_public_name_of_a_room_is_shown():
    """By its own example, a use in a page, a scenario or another example, or that of a function that returns it."""
    assert REFERENCE.not_shown() == []


def test_a_name_that_nothing_shows_is_found():
    class Wordless:
        """A result."""

    def maker() -> Wordless:
        """Return it."""

    reference = Reference()
    names = {"gauss.bodies.Wordless": Wordless, "gauss.bodies.maker": maker}
    reference.__dict__["values"] = REFERENCE.values | names
    reference.__dict__["uses"] = REFERENCE.uses
    assert reference.not_shown() == [*names]
    maker.__doc__ += "\n\n>>> maker()\n"
    del reference.__dict__["makers"]
    assert reference.not_shown() == []


@pytest.mark.long
def test_classes_in_signatures_and_fields_have_the_names_by_which_they_become_links():
    pages = dict(REFERENCE.pages())
    assert "simulate(system: gauss.System | gauss.bodies.Mechanism, q: object" in pages["simulate"]
    assert "events: Iterable[gauss.Event] = ()" in pages["simulate"]
    assert "-> gauss.Verdict\n" in pages["classify"]
    assert "`tuple[`{py:obj}`MotionEvent <gauss.motion.MotionEvent>``, ...]`" in pages["Trajectory"]
    assert ":type: gauss.Verdict" in pages["bodies"]  # Assembly.verdict


@pytest.mark.long
def test_a_name_means_what_the_class_has_before_what_the_package_has():
    text = dict(REFERENCE.pages())["Trajectory"]
    assert "that {py:obj}`load <gauss.Trajectory.load>` reads back" in text
    assert "| `about` |" in text


def test_a_use_is_one_of_the_name_and_not_of_the_word():
    assert used("rate = 2.0\nrun.rate(rate)") == []
    assert g.bodies.rate in used("import gauss as g\ng.bodies.rate(R, omega)")
    assert g.bodies.rate in used("from gauss import bodies as mb\nmb.rate(R, omega)")
    assert g.bodies.rate in used("import gauss as g\nmb = g.bodies\n%matplotlib inline\nmb.rate(R, omega)")
    assert g.analysis.crosscheck_at in used(
        "from gauss.analysis.crosscheck import crosscheck_at\ncrosscheck_at(system, states)"
    )
    assert g.sin in used("import gauss as g\ng.math.sin(x)")


def test_a_name_of_a_room_is_told():
    with pytest.raises(AttributeError, match=r"gauss\.contact has it"):
        g.solve_contacts  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        g.nonsense  # noqa: B018
