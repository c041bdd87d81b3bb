"""The text beside a recorded view: what the live view tells of the motion, and the time and energy that are shown.

The page that viser records plays the scene alone, and has a slider for its time; the panel follows this slider.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from gauss.foundation.arrays import Array
from gauss.show.notebook.markup import Markup, element, joined

LOOK = (
    "position:fixed;top:.6em;left:.6em;max-width:36%;max-height:80vh;overflow:auto;z-index:1;padding:.3em .6em;"
    "border-radius:4px;font:12px/1.4 system-ui,sans-serif;overflow-wrap:anywhere;color:#222;"
    "background:rgba(255,255,255,.7)"
)
FOLLOW = """
(() => {
  const {at, text} = %s, shown = document.getElementById("gauss-now");
  const follow = () => {
    const slider = document.querySelector('[role="slider"]');
    const now = at.length < 2 ? 0 : slider === null ? NaN : parseFloat(slider.getAttribute("aria-valuenow"));
    let k = 0, above = at.length;
    while (above - k > 1) { const half = (k + above) >> 1; if (at[half] <= now + 1e-4) k = half; else above = half; }
    const said = Number.isFinite(now) ? text[k] : "";
    if (shown.textContent !== said) shown.textContent = said;
    requestAnimationFrame(follow);
  };
  follow();
})();
"""  # a slider that is not there, or says no number, leaves the line empty


def with_panel(page: str, words: Sequence[str], at: Array, now: Sequence[str]) -> str:
    """Return a recorded page with a panel: the text of the state that is shown, and below it words that fold away.

    `at` (N,) are the times of the recording (s) from which the texts `now` (N,) hold.

    >>> page = with_panel("<body></body>", ["a <b>"], np.array([0.0, 0.04]), ["t = 0 s", "t = 0.1 s"])
    >>> "a &lt;b&gt;" in page, page.endswith("</body>")
    (True, True)
    """
    lines = [element("div", word, style="margin:.25em 0;opacity:.75") for word in words]
    shown = element("div", id="gauss-now", style="white-space:pre-line;font-variant-numeric:tabular-nums")
    top = element("summary", shown, style="cursor:pointer;display:block")
    data = json.dumps({"at": np.round(at, 6).tolist(), "text": list(now)}, ensure_ascii=False).replace("<", "\\u003c")
    script = element("script", Markup(FOLLOW % data))
    panel = element("details", top, *lines, id="gauss-panel", style=LOOK, open="")
    end = page.rindex("</body>")
    return page[:end] + joined([panel, script]) + page[end:]
