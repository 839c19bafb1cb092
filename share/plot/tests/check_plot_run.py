"""What `curlew plot` writes and says, from a folder made here: check_plot_run.py

Exits 77 (skipped) when python3-matplotlib is not installed.
"""

import html.parser
import os
import re
import subprocess
import sys
import tempfile

from plot_fixture import SCRIPT, check, finish, result, write

import matplotlib.image
import numpy as np


class Page(html.parser.HTMLParser):
    """Balanced tags, and everything that would be loaded."""

    def __init__(self):
        super().__init__()
        self.open, self.loaded, self.ids, self.links, self.words = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br", "hr", "link"):
            self.open.append(tag)
        for key, value in attributes:
            if key in ("src", "href", "data", "action", "srcset", "poster"):
                self.loaded.append(value)
            if key == "id":
                self.ids.append(value)

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, f"</{tag}> closes something else")

    def handle_data(self, data):
        self.words.append(data)


def check_page(text, pictures):
    page = Page()
    page.feed(text)
    check(not page.open, f"not closed: {page.open}")
    inside = [one for one in page.loaded if one.startswith("data:image/")]
    anchors = [one[1:] for one in page.loaded if one.startswith("#")]
    check(
        len(inside) == pictures and len(inside) + len(anchors) == len(page.loaded),
        f"{[one[:40] for one in page.loaded]}",
    )
    check(anchors == page.ids, f"links {anchors}, headings {page.ids}")
    check(
        not re.search(r"https?:|url\(|@import|<script", text.replace("http://www.w3.org", "")),
        "something is loaded from elsewhere",
    )
    words = " ".join(page.words)
    for wanted in (
        "a<b>&c",
        "beware of <this> & that",
        "weak, and <short>",
        "0.8 of the limit of 12.5 ps",
        "2e+09",
        "largest gain 0.5 at 2 GHz",
    ):
        check(wanted in words, f"the page lacks {wanted!r}")


def run(*arguments):
    done = subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def check_program(folder):
    out = os.path.join(folder, "good")
    write(out, "plots/mine.png", "mine")
    code, said, error = run(out, "--report")
    made = sorted(os.listdir(os.path.join(out, "plots")))
    wanted = [
        "energy",
        "far_field_a",
        "far_field_a_3d",
        "far_field_a_powers",
        "lines_l",
        "polarisations_core",
        "probes_p",
        "resonances",
        "run",
        "smith",
        "sparameters",
        "voltages_gap",
        "voltages_gap_spectrum",
    ]
    check(
        code == 0
        and [name for name in made if name.endswith(".png") and name != "mine.png"]
        == [name + ".png" for name in wanted],
        f"{code}: {made} {error}",
    )
    check(error.count("\n") == 1 and "silent.csv' is zero all along" in error, f"{error}")
    check(len(said.splitlines()) == len(wanted) + 1, said)
    for name in wanted:
        pixels = matplotlib.image.imread(os.path.join(out, "plots", name + ".png"))
        check(
            pixels.shape[0] > 150
            and pixels.shape[1] > 500
            and len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 30,
            name,
        )
    with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
        check_page(file.read(), len(wanted))
    os.remove(os.path.join(out, "resonances.csv"))
    write(out, "probes/broken.csv", "time,Ex\n0,1\n1\n2,3\n")
    with open(os.path.join(out, "energy.csv"), "a", encoding="utf-8") as file:
        file.write("400,4e-9,0.")
    code, said, error = run(out, "-q")
    check(
        code == 2
        and not said
        and "energy.csv' ends in the middle of a line" in error
        and "broken.csv', line 3" in error,
        f"{code}: {error}",
    )
    left = os.listdir(os.path.join(out, "plots"))
    check("resonances.png" not in left and "mine.png" in left and "energy.png" in left, f"{left}")
    code, said, error = run(out, "--only", "sparameters", "--format", "svg", "-o", os.path.join(folder, "other"))
    check(
        code == 0 and sorted(os.listdir(os.path.join(folder, "other"))) == ["smith.svg", "sparameters.svg"],
        f"{code}: {error}",
    )


def check_refusals(folder):
    out = os.path.join(folder, "good")
    write(folder, "nothing/log.txt", "mesh      box\n")
    for code, what, arguments in (
        (2, "there is no folder", (os.path.join(folder, "none"),)),
        (2, "holds no results", (os.path.join(folder, "empty"),)),
        (2, "has nothing to draw yet", (os.path.join(folder, "nothing"),)),
        (2, "required: DIR", ()),
        (2, "has nothing of resonances to draw", (out, "--only", "resonances")),
        (2, "no list of energy", (out, "--only", "colours")),
        (2, "invalid choice: 'gif'", (out, "--format", "gif")),
        (2, "is no frequency", (out, "--frequency", "-1")),
        (2, "is no plane", (out, "--plane", "z=nan")),
        (2, "is no plane", (out, "--plane", "w=1")),
        (3, "cannot write", (out, "--only", "energy", "-q", "-o", os.path.join(out, "log.txt"))),
        (2, "unrecognized arguments: --repotr", (out, "--repotr")),
    ):
        got, said, error = run(*arguments)
        lines_of = [line for line in error.splitlines() if "warning" not in line]
        check(
            got == code and len(lines_of) == 1 and lines_of[0].startswith("curlew: ") and what in error and not said,
            f"{arguments}: {got}, {said!r}, {error!r}",
        )
    code, said, error = run(os.path.join(folder, "nothing"), "--report", "-q")
    check(
        code == 0 and os.path.exists(os.path.join(folder, "nothing", "report.html")),
        f"a page without pictures: {code}, {error}",
    )
    code, _, error = run(os.path.join(out, "probes/p.csv"), "--y", "Ex", "-o", os.path.join(folder, "one.png"))
    check(code == 0 and os.path.exists(os.path.join(folder, "one.png")), f"a single file: {error}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        result(os.path.join(folder, "good"))
        os.makedirs(os.path.join(folder, "empty"))
        check_program(folder)
        check_refusals(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
