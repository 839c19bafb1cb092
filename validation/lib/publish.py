"""The results page."""
import os
import shutil

from lib import report


def write_page(path, pages, full, picture_prefix):
    """picture_prefix: what stands before a picture's file name in the page."""
    lines = ["# Validation", "",
             "Written by `validation/validate.py" + (" --full`" if full else "`") +
             "; see validation/README.md for what each case shows and how to run it.", "",
             "| case | checks | passed |", "|---|---|---|"]
    for page in pages:
        required = [row for row in page["rows"] if row.passed is not None]
        lines.append(f"| {page['title']} | {len(required)} | {sum(row.passed for row in required)} |")
    for page in pages:
        lines += ["", f"## {page['title']}", ""]
        for picture in page["pictures"]:
            lines += [f"![{page['title']}]({picture_prefix}{os.path.basename(picture)})", ""]
        lines += [page["text"], "", report.markdown(page["rows"])]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def publish(folder, pages, full):
    """share/doc/validation.md, and the pictures in share/doc/img."""
    for page in pages:
        for picture in page["pictures"]:
            shutil.copyfile(picture, os.path.join(folder, "img", "validation_" + os.path.basename(picture)))
    write_page(os.path.join(folder, "validation.md"), pages, full, "img/validation_")
