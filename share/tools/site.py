#!/usr/bin/env python3
"""Builds the site: site.py PROGRAM FOLDER [--serve].

Pages are those of share/doc/site, the manual and the pages of share/doc, and one for every example. The gallery is made
from the examples, and the reference of keys from what PROGRAM says (keys.py). MkDocs makes HTML of them, in
FOLDER/html; its versions are pinned in share/doc/site/requirements.txt and live in FOLDER/venv. A warning is an error.
Then every link, anchor and picture is looked up, and nothing may be loaded from elsewhere (site_links.py). Exit code 0,
or 1.

Links in the sources are those of the repository, so that they work there, too. Here they become those of the site: a
page that the site has, any other Markdown file as a page under more/, any other file as it is, under files/.
"""
import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import keys as key_rules  # noqa: E402
import site_links  # noqa: E402
import site_pages  # noqa: E402

ROOT = key_rules.ROOT
SOURCE = "share/doc/site"
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s]+)((?:\s+\"[^\"]*\")?)\)")


class Site:
    """The pages of the site as Markdown: {page: text}, and the files beside them: {file: path in the repository}."""

    def __init__(self):
        self.pages, self.files, self.waiting = {}, {}, []

    def page_of(self, path):
        """The page of a file of the repository; None: the site shows it as a file."""
        if path.startswith(SOURCE + "/") and path.endswith(".md"):
            return path[len(SOURCE) + 1:]
        if path == "share/doc/design":
            return "design.md"
        if path in ("README.md", "examples"):
            return "index.md" if path == "README.md" else "gallery.md"
        example = re.match(r"examples/(\w+)(?:/README\.md)?$", path)
        if example and os.path.isfile(os.path.join(ROOT, "examples", example.group(1), "README.md")):
            return f"examples/{example.group(1)}.md"
        if re.match(r"share/doc/(design/)?[\w-]+\.md$", path):
            return path[len("share/doc/"):]
        if os.path.isfile(os.path.join(ROOT, path, "README.md")):
            return f"more/{path}/README.md"
        return f"more/{path}" if path.endswith(".md") else None

    def add(self, path):
        """Adds a page with all that it links to."""
        page = self.page_of(path)
        if page in self.pages:
            return page
        source = os.path.join(ROOT, path)
        if os.path.isdir(source):
            source = os.path.join(source, "README.md")
            path += "/README.md"
        with open(source, encoding="utf-8") as file:
            text = file.read()
        if page.startswith("examples/"):
            text += site_pages.example_files(os.path.dirname(source))
        self.pages[page] = None
        self.pages[page] = self.convert(text, path, page)
        return page

    def convert(self, text, path, page):
        """The text of a file with the links of the site. Code stays as it is."""
        def moved(match):
            target, _, anchor = match.group(2).partition("#")
            if ":" in target or not target:
                return match.group(0)
            shown = match.group(1)
            if shown.startswith("[!["):  # a picture that is a link
                shown = f"[{LINK.sub(moved, shown[1:-1])}]"
            there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            where = self.target(there, path)
            link = posixpath.relpath(where, posixpath.dirname(page) or ".")
            return f"{shown}({link}{'#' + anchor if anchor else ''}{match.group(3)})"
        parts = re.split(r"(^ *```.*?^ *```)", site_pages.plain_lists(text), flags=re.M | re.S)
        return "".join(part if part.lstrip().startswith("```") else LINK.sub(moved, part) for part in parts)

    def target(self, there, path):
        """The place in the site of what a link leads to."""
        if not os.path.exists(os.path.join(ROOT, there)):
            sys.exit(f"{path}: the link leads to {there}, which does not exist")
        page = self.page_of(there)
        if page:
            if page.startswith("more/") or page not in self.pages:
                self.waiting.append(there)
            return page
        if os.path.isdir(os.path.join(ROOT, there)):
            sys.exit(f"{path}: the link leads to the folder {there}, which has no README.md")
        name = there[len("share/doc/"):] if there.startswith("share/doc/img/") else f"files/{there}"
        self.files[name] = there
        return name

    def collect(self):
        command = ["git", "ls-files", "--", SOURCE, "share/doc", "examples"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        for path in sorted(set(listed) | set(site_pages.own_pages(os.path.join(ROOT, SOURCE), SOURCE))):
            if path.endswith(".md"):
                self.add(path)
        while self.waiting:
            path = self.waiting.pop()
            if self.page_of(path) != "gallery.md":
                self.add(path)

    def write(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in self.pages.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        for name, source in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, source), path)


def environment(folder):
    """The interpreter of the virtual environment with the versions that are pinned."""
    wanted = os.path.join(ROOT, SOURCE, "requirements.txt")
    here, stamp = os.path.join(folder, "venv"), os.path.join(folder, "venv", "requirements.txt")
    python = os.path.join(here, "bin", "python")
    if not os.path.exists(stamp) or open(stamp, encoding="utf-8").read() != open(wanted, encoding="utf-8").read():
        shutil.rmtree(here, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", here], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", wanted], check=True)
        shutil.copyfile(wanted, stamp)
    return python


def main():
    parser = argparse.ArgumentParser(description="Builds the site.")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--serve", action="store_true", help="show it at http://127.0.0.1:8000 until Ctrl-C")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    site = Site()
    site.collect()
    site.pages["gallery.md"] = site.convert(
        site_pages.gallery(os.path.join(ROOT, SOURCE, "gallery.md"), ROOT), f"{SOURCE}/gallery.md", "gallery.md")
    site.pages["keys.md"] = site.convert(
        site_pages.reference(os.path.join(ROOT, SOURCE, "keys.md"), options.program), f"{SOURCE}/keys.md", "keys.md")
    site.write(os.path.join(folder, "pages"))
    shutil.copytree(os.path.join(ROOT, SOURCE, "style"), os.path.join(folder, "pages", "style"))
    shutil.copyfile(os.path.join(ROOT, SOURCE, "mkdocs.yml"), os.path.join(folder, "mkdocs.yml"))
    python = environment(folder)
    html = os.path.join(folder, "html")
    config = os.path.join(folder, "mkdocs.yml")
    command = [python, "-m", "mkdocs", "build", "--strict", "--quiet", "--clean", "-f", config]
    if subprocess.run(command, check=False, env=dict(os.environ, NO_MKDOCS_2_WARNING="1")).returncode != 0:
        return 1
    lines = site_links.check(html)
    print("\n".join(lines) if lines else f"{html}: {len(site.pages)} pages; every link leads somewhere, and nothing is "
          "loaded from elsewhere")
    if options.serve and not lines:
        subprocess.run([python, "-m", "http.server", "-b", "127.0.0.1", "8000", "-d", html], check=False)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
