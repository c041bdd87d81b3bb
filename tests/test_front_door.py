"""The names of `gauss`: few, each with an example that runs and prints what it says."""

from __future__ import annotations

import doctest
import inspect

import pytest

import gauss as g

NAMES = [name for name in g.__all__ if name != "__version__"]


def test_the_front_door_is_small():
    assert len(NAMES) <= 42
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    value = getattr(g, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(value) or "")
    assert examples, f"gauss.{name} has no example"
    found = doctest.DocTest(examples, {}, name, None, None, None)
    assert doctest.DocTestRunner(verbose=False).run(found, out=print).failed == 0


def test_a_name_of_a_room_is_told():
    with pytest.raises(AttributeError, match=r"gauss\.contact has it"):
        g.solve_contacts  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        g.nonsense  # noqa: B018
