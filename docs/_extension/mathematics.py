"""Formulas without the network: MathJax is copied from the package django-static-mathjax, which carries its files."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

SCRIPT = "static/mathjax/es5/tex-svg.js"  # one file, fonts included


def local() -> Path | None:
    """Return MathJax's file on this computer, if there is one."""
    found = find_spec("mathjax")
    folders = found.submodule_search_locations if found is not None else None
    scripts = [Path(folder) / SCRIPT for folder in folders or []]
    return next((script for script in scripts if script.exists()), None)


def configure(app: Sphinx, config: Config) -> None:
    """Point the pages to their own copy; without one they ask the network, which the log says."""
    script = local()
    if script is None:
        logging.getLogger(__name__).info("django-static-mathjax is not installed: pages load MathJax from the network")
        return
    config.mathjax_path = script.name
    target = Path(app.outdir) / "_static" / script.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(script, target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", configure)
    return {"parallel_read_safe": True}
