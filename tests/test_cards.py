"""The cards of motions through modes, of scenes, assemblies, forces and impacts, and of what has no card of its own."""

from __future__ import annotations

import dataclasses
import inspect
import re
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest
from test_notebook import Tree, cells

import gauss as g
from gauss import bodies as mb
from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, force_ranges, moreau


def rope(impact=False):
    row = g.Holonomic("rope", lambda q: q.z)
    load = {"mass_matrix": [[2.0]], "force": lambda t: [-t]}
    held, free = g.System("held", "z", **load, constraints=[row]), g.System("free", "z", **load)
    breaks = g.motion.Switch(g.motion.Overload("rope", 0.2), to="free")
    caught = [g.motion.Switch(g.Event("end", lambda q: q.z + 0.01), to="stopped", impact=True)] if impact else []
    stop = g.System("stopped", "z", **load, constraints=[g.Holonomic("end", lambda q: q.z + 0.01)])
    modes = {"held": g.motion.Mode(held, breaks), "free": g.motion.Mode(free, caught), "stopped": g.motion.Mode(stop)}
    return g.motion.hybrid(modes, "held", [0.0], t_end=1.0, progress="none")


def four_bar():
    crank, rod, rocker = (mb.PlanarBody(name, 1.0, 0.1) for name in ("crank", "rod", "rocker"))
    pins = [
        mb.Pin("A", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("B", crank, (0.2, 0), rod, (0, 0)),
        mb.Pin("C", rod, (0.4, 0), rocker, (0.2, 0)),
        mb.Pin("D", mb.GROUND, (0.4, 0), rocker, (0, 0)),
    ]
    poses = crank.pose((0, 0), np.pi / 3), rod.pose((0.1, 0.17), 0.1), rocker.pose((0.4, 0), 1.1)
    return mb.assemble(mb.Mechanism("four-bar", [crank, rod, rocker], pins), *poses, hold="A")


def legs():
    places = {"left": -1.0, "mid": 0.0, "right": 1.0}
    rows = [g.Unilateral(name, lambda q, a=a: q.z + a * q.phi) for name, a in places.items()]
    units = dict.fromkeys(("z", *places), "m")
    energies = {"kinetic_energy": lambda v: v.z**2 + v.phi**2, "potential_energy": lambda q: 12.0 * q.z}
    return g.System("table", "z phi", **energies, constraints=rows, units=units)


@pytest.fixture(scope="module")
def found():
    table, bead = (
        legs(),
        g.System("bead", "phi", kinetic_energy=lambda v: v.phi**2, potential_energy=lambda q: q.phi**2),
    )
    floor = g.Unilateral("floor", lambda q: q.y, friction=g.Coulomb(0.3, slip=lambda v: v.x), restitution=0.5)
    ball = g.System("ball", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), constraints=[floor])
    scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 0.1))], [HalfPlane()])
    run = g.simulate(table, [0, 0], t_end=0.5, progress="none")
    smooth = {"nu": [0] * 3, "T": [[0, 0]] * 3, "tau": [0] * 3, "coefficient": [0] * 3}
    beam = g.contact.ContactProblem.of([[3, 0], [0, 1]], [-30, 0], [[1, -1], [1, 0], [1, 1]], **smooth)
    cross = g.System("cross", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[g.Holonomic("l", lambda q: q.x * q.y)])
    return {
        "hybrid": rope(),
        "caught": rope(impact=True),
        "scene": moreau(scene, step=1e-2, t_end=0.1),
        "forces of a scene": force_ranges(scene, step=1e-2),
        "assembly": four_bar(),
        "reactions": g.reactions(g.accelerate(table, [0, 0]).solution),
        "ranges": g.analysis.reaction_ranges(run, times=[0.0, 0.5]),
        "forces": g.contact.contact_forces(beam, groups={"all": [f"contact {k}" for k in range(3)]}),
        "contacts": g.contact.solve_contacts(beam),
        "problem": beam,
        "impact": g.impact(ball, [0, 0], [1, -2]),
        "singular": g.find_singular(cross, [0.1, 0.2]),
        "portrait": g.analysis.portrait(bead, "phi", (-1, 1)),
        "states": g.analysis.random_states(bead, [0.1], count=3),
        "equations": g.sympy.to_sympy(bead),
    }


KINDS = (
    *("hybrid", "caught", "scene", "forces of a scene", "assembly", "reactions", "ranges", "forces", "contacts"),
    *("problem", "impact", "singular", "portrait", "states", "equations"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_card_is_whole_and_every_repr_one_short_line(kind, found):
    page, text = found[kind]._repr_html_(), repr(found[kind])
    words = Tree(page).words
    assert words
    assert "nan" not in words
    for rest in (" at 0x", "array("):
        assert rest not in text + page
    assert "\n" not in text
    assert len(text) <= 150


def test_a_head_reads_well_without_its_light(found):
    """As a notebook that is not trusted shows it."""
    head = re.search("<header>.*</header>", found["scene"]._repr_html_())[0]
    assert re.sub(r"<[^>]*>", "", head).strip().startswith("stone 1 bodies, ")


def test_curves_are_seen_in_a_notebook_that_is_not_trusted(found):
    """There styles and inline SVG are left out, and pictures are kept."""
    page = found["hybrid"]._repr_html_()
    ((label, data),) = re.findall(r'<img class="spare" alt="(.*?)" src="data:image/svg\+xml;base64,(.*?)">', page)
    assert label == re.search('aria-label="([^"]* against time)"', page)[1]
    picture = ElementTree.fromstring(b64decode(data))
    inline = re.search('<svg class="curves".*?</svg>', page)[0]
    tag = "{http://www.w3.org/2000/svg}polyline"
    assert [line.get("points") for line in picture.iter(tag)] == re.findall('polyline points="(.*?)"', inline)
    assert "img.spare {display: none}" in re.search("<style>(.*?)</style>", page, re.DOTALL)[1]


def test_a_motion_through_modes_shows_each_phase_and_what_an_impact_took(found):
    page = found["hybrid"]._repr_html_()
    assert ["held", "0", "0.2"] in cells(page)
    assert page.count("<polyline") == 1
    assert page.count('class="mark"') == 1
    caught = found["caught"]
    speed = abs(caught.phases[1].run.v[-1, 0])  # at the end of the fall: all of its energy ½·2·v² is lost
    assert cells(caught._repr_html_())[3][3:] == [f"end {2.0 * speed:.6g}", f"{speed**2:.6g} J"]


def test_the_card_of_a_scene_draws_its_energies_and_says_how_well_they_are_known(found):
    page = found["scene"]._repr_html_()
    assert "kinetic energy / J" in page
    assert ["contacts", "1 at the end, at most 1"] in cells(page)
    assert "-0.0" not in page
    assert ["stone on HalfPlane 0, normal", "19.62 N"] in cells(found["forces of a scene"]._repr_html_())


def test_the_card_of_an_assembly_has_its_freedoms_and_the_ways_its_loops_close(found):
    page = cells(found["assembly"]._repr_html_())
    assert ["joint coordinate", "freedom 1"] in page
    rates = {row[0]: float(row[1].replace("−", "-")) for row in page if row[0] in "ABCD" and len(row) == 2}
    assert rates == pytest.approx({"A": 1.0, "B": -1.0, "C": 1.0, "D": 1.0})  # a parallelogram
    ways = [row[0] for row in page if len(row) == 6]
    assert ways == ["way", "1", "2"]  # and the crossed one


def test_ranges_of_forces_are_those_of_the_balance(found):
    """12 N on three legs at −1, 0, 1 m: the middle one may bear all, the outer ones half each."""
    page = cells(found["reactions"]._repr_html_())
    assert [row[:3] for row in page[1:4]] == [["left", "0", "6"], ["mid", "0", "12"], ["right", "0", "6"]]
    page = cells(found["ranges"]._repr_html_())
    assert page[2] == ["mid", "0 N", "12 N", "not determined at 100 % of the times"]
    page = cells(found["forces"]._repr_html_())
    assert ["all, normal in all", "30", "", "determined"] in page
    assert ["contact 0, normal (stick)", "0", "15", "not determined"] in page


def test_the_card_of_an_impact_is_its_closed_form(found):
    page = cells(found["impact"]._repr_html_())
    assert ["y", "−2", "1"] in page
    assert ["floor", "3", "−0.9", "−1.995 J"] in page  # P = 2 (1 + ½), S = −0.3 P; ½ 5 J − ½ (0.1² + 1²) J


def test_what_a_call_returns_is_never_a_dump_of_arrays():
    """Every dataclass that a public function returns and that holds an array shows itself."""
    rooms = [g, *(getattr(g, name) for name in g.__all__ if inspect.ismodule(getattr(g, name)))]
    public = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", ())]
    classes = {x.__name__: x for x in public if inspect.isclass(x) and dataclasses.is_dataclass(x)}
    given = {"Inertia", "Coulomb"}  # what is handed on to other calls, a few numbers
    for function in filter(inspect.isfunction, public):
        for kind in re.findall(r"\w+", str(inspect.signature(function).return_annotation)):
            if kind in classes and any("Array" in str(field.type) for field in dataclasses.fields(classes[kind])):
                assert hasattr(classes[kind], "_repr_html_") or kind in {"State", *given}, (function.__name__, kind)
