"""The results page."""
import json
import os
import shutil

from lib import report


def save(folder, page):
    with open(os.path.join(folder, page["name"] + ".json"), "w", encoding="utf-8") as file:
        json.dump(page, file, indent=1)


def load(folder, cases):
    """The pages of the cases that were run into this folder."""
    pages = []
    for name in cases:
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                pages.append(json.load(file))
    return pages


SAME_ANSWERS = """Whether two builds give the same answers says `validation/same_answers.py OLD NEW`. It runs the examples, the scripts of the
cases and one scene with every kind of wall, source and measure for 60 steps with both programs, on `cpu` and `reference`, with
1 and 3 processes. It compares tables and snapshots byte by byte and `summary.json` but for times; where a file differs, it says
by how much. `--restart` lets the new program go on from a checkpoint, `--set time.integrator=lsrk` takes other keys,
`--only coax` a part."""


def write_page(path, pages, picture_prefix):
    """picture_prefix: what stands before a picture's file name in the page."""
    lines = ["# Validation", "",
             "Written by `validation/validate.py`; validation/README.md says what each case shows and how to run it.",
             "", *SAME_ANSWERS.splitlines(), "", "| case | version | checks | passed |", "|---|---|---|---|"]
    for page in pages:
        required = [row for row in page["rows"] if row["passed"] is not None]
        lines.append(f"| {page['title']} | {'full' if page['full'] else 'coarse'} | {len(required)} | "
                     f"{sum(row['passed'] for row in required)} |")
    for page in pages:
        lines += ["", f"## {page['title']}", ""]
        for picture in page["pictures"]:
            lines += [f"![{page['title']}]({picture_prefix}{os.path.basename(picture)})", ""]
        lines += [page["text"], "", report.markdown(report.Row(**row) for row in page["rows"])]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def publish(folder, pages):
    """share/doc/validation.md, and the pictures in share/doc/img."""
    for page in pages:
        for picture in page["pictures"]:
            shutil.copyfile(picture, os.path.join(folder, "img", "validation_" + os.path.basename(picture)))
    write_page(os.path.join(folder, "validation.md"), pages, "img/validation_")
