#!/usr/bin/env python3
"""Checks the pages of a site: site_links.py FOLDER.

Every link and picture of a page leads to a file of the folder, and every #anchor to an element of that page. Scripts,
style sheets, fonts and pictures come from the folder: only a link that a reader follows may lead elsewhere. site.py
calls it. Exit code 0, or 1 with a line for each violation.
"""
import html.parser
import os
import re
import sys
import urllib.parse

LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src"),
         ("object", "data"), ("embed", "src"), ("use", "href"), ("image", "href")}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.classes = set(), [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        self.classes |= set((given.get("class") or "").split())
        for key, value in attrs:
            if (tag, key) in LOADS and value and given.get("rel") not in ("canonical", "next", "prev", "edit"):
                self.loads.append(value)
            elif key == "href" and value and tag in ("a", "area", "link"):
                self.links.append(value)
            elif key == "style" and value:
                self.loads += re.findall(r"url\(['\"]?([^'\")]+)", value)


def is_elsewhere(target):
    return bool(re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", target))


def look_up(folder, page, target, pages):
    """What is wrong with a link of a page, or None."""
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    path = path.partition("?")[0]
    if page == "404.html":
        path = path.lstrip("/")  # it is shown for any address
    there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if os.path.isdir(os.path.join(folder, there)):
        there = os.path.normpath(os.path.join(there, "index.html"))
    if there.startswith("..") or not os.path.isfile(os.path.join(folder, there)):
        return f"{page}: {target} leads to no file"
    if anchor and there in pages and anchor not in pages[there].anchors:
        return f"{page}: {target}: there is no #{anchor}"
    return None


def style_sheets(folder):
    """Lines about style sheets that load from elsewhere, or what is not there."""
    for root, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".css"):
                continue
            path = os.path.join(root, name)
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
            for target in re.findall(r"(?:url\(|@import )\s*['\"]?([^'\")\s]+)", text):
                if is_elsewhere(target):
                    yield f"{os.path.relpath(path, folder)}: loads {target}"
                elif not target.startswith(("data:", "#")):
                    there = os.path.join(root, target.partition("?")[0].partition("#")[0])
                    if not os.path.isfile(there):
                        yield f"{os.path.relpath(path, folder)}: there is no {target}"


def check(folder):
    pages = {}
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(root, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, folder)] = Page(file.read())
    lines = [] if pages else [f"{folder}: there are no pages"]
    for name, page in sorted(pages.items()):
        for target in page.loads:
            if is_elsewhere(target):
                lines.append(f"{name}: loads {target}")
            elif not target.startswith("data:"):
                lines.append(look_up(folder, name, target, pages))
        for target in page.links:
            if not re.match(r"[a-z][a-z0-9+.-]*:", target) and not is_elsewhere(target):
                lines.append(look_up(folder, name, target, pages))
        if "mermaid" in page.classes:
            lines.append(f"{name}: a diagram would load a script")
    return [line for line in [*dict.fromkeys(lines), *style_sheets(folder)] if line]


def main():
    lines = check(sys.argv[1])
    print("\n".join(lines) if lines else f"{sys.argv[1]}: every link leads somewhere")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
