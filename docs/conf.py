"""The site: `python -m sphinx -W -b html docs docs/_build/site`, with `-t quick` before docs for a first look."""

import os
import sys
from pathlib import Path

import gauss

sys.path.insert(0, str(Path(__file__).parent / "_extension"))
import drawn

os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(gauss.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])

project = "gauss"
author = "the authors of gauss"
copyright = "the authors of gauss, MIT licence"
version = release = gauss.__version__

extensions = ["myst_nb", "sphinx_design", "sphinx_copybutton", "sphinx.ext.mathjax", "mathematics", "api", "gallery"]
exclude_patterns = ["_build", "_cache", "experiments", "**.ipynb_checkpoints"]
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type", "mystnb.lexer"]
nitpicky = True
nitpick_ignore_regex = [("py:class", r"(?!gauss\.).*")]  # types of Python and of libraries, whose pages are not here

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_cache" / f"notebooks-{drawn.code()[:12]}")
nb_execution_in_temp = True
nb_execution_timeout = 1200  # s; a tutorial takes some ten where nothing else runs
nb_execution_raise_on_error = True
nb_merge_streams = True
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries = False
pygments_style = "default"

html_theme = "pydata_sphinx_theme"
html_title = "gauss"
html_static_path = ["_static"]
html_css_files = ["gauss.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "gauss"},
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navigation_depth": 2,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
