"""The pages of the site that are made: the gallery, from the examples, and the reference of keys, from the program.
site.py calls it."""
import html
import os
import re

import keys as key_rules

MARK = re.compile(r"^<!-- (\w+) -->\n", re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def own_pages(folder, name):
    for root, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".md"):
                yield os.path.join(name, os.path.relpath(os.path.join(root, file), folder))


def plain_lists(text):
    """Lists as MkDocs reads them: an empty line before a list, and blocks of an item four spaces in."""
    lines, fenced, inside, before = [], None, False, ""
    for line in text.split("\n"):
        fence = re.match(r" *```", line)
        indent = len(line) - len(line.lstrip())
        item = re.match(r" *(?:[-*]|\d+\.) ", line) and not fenced
        if item and indent == 0 and before.strip() and not inside:
            lines.append("")
        if item and indent == 0:
            inside = True
        elif inside and line.strip() and indent == 0 and not fenced and not before.strip():
            inside = False
        if inside and indent > 0 and line.strip():
            line = " " * (4 if indent < 4 else indent + 2) + line.lstrip() if not fenced else (
                " " * max(0, 4 - fenced[1]) + line)
        if fence:
            fenced = None if fenced else ("```", indent if inside else 4)
        lines.append(line)
        before = line
    return "\n".join(lines)


# ---- the gallery


def first_paragraph(text):
    for part in text.split("\n\n")[1:]:
        if part and not part.startswith(("```", "!", "|", "#")):
            return " ".join(part.split())
    return ""


def example_files(folder):
    """The script and the geometry of an example, so that its page is all that one needs."""
    text = "\n## The files\n"
    for end, language in ((".lua", "lua"), (".geo", "geo")):
        for name in sorted(os.listdir(folder)):
            if name.endswith(end) and name != "expected.lua":
                text += f"\n```{language} title=\"{name}\"\n{read(os.path.join(folder, name))}```\n"
    return text


def gallery(path, root):
    """A card for every example: its title, first picture and last two, and first sentences, with the links of the repository."""
    cards = []
    for name in sorted(os.listdir(os.path.join(root, "examples"))):
        readme = os.path.join(root, "examples", name, "README.md")
        if not os.path.isfile(readme):
            continue
        text = read(readme)
        title = re.match(r"# (.*)", text).group(1)
        pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
        shown = "\n".join(f"[![{alt}](../../../examples/{name}/{target})](../../../examples/{name}/README.md)"
                          for alt, target in [*pictures[:1], *pictures[1:][-2:]])
        sentences = re.split(r"(?<=[.?!]) ", first_paragraph(text))
        cards.append(f"<div markdown>\n\n## {title}\n\n{shown}\n\n{' '.join(sentences[:2])}\n\n"
                     f"[Script, geometry, and what to look at](../../../examples/{name}/README.md)\n\n</div>\n")
    made = "<div class=\"gallery\" markdown>\n\n" + "\n".join(cards) + "\n</div>\n"
    return MARK.sub(lambda match: made if match.group(1) == "gallery" else "", read(path))


# ---- the reference


def code(text):
    return f"<code>{html.escape(text)}</code>".replace("|", "&#124;")


def number(x):
    return repr(x) if x != int(x) or abs(x) >= 1e15 else str(int(x))


def takes(key):
    """What a key takes, as the program says it."""
    if key["names"] and key["type"] == "choice" and not key["expected"]:
        return ", ".join(code(f'"{name}"') for name in key["names"])
    text = key["expected"] or {"boolean": "true or false"}.get(key["type"], "")
    return html.escape(text, quote=False).replace("|", "&#124;").replace("{", "&#123;").replace("}", "&#125;")


def default(key, found):
    """What holds where the key is not given: the program's word, or the manual's where the program has none."""
    if key["required"]:
        return "**required**"
    value = key["default"]
    if value is None:
        told = [row.cells[row.head.index("default")] for row in found[:1] if "default" in row.head[:len(row.cells)]]
        return told[0].replace("](#", "](../manual.md#") if told and not told[0].startswith("required") else ""
    if isinstance(value, bool):
        return code("true" if value else "false")
    return code(f'"{value}"') if isinstance(value, str) else code(number(value))


def slug(heading):
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def meaning(found):
    """What the manual says of the key, and where."""
    if not found:
        return ""
    row = found[0]
    text = row.cells[-1]
    only_kinds = re.fullmatch(r"(`[^`]*`(, | and )?)+( only)?", text)
    if len(row.keys()) > 2 or len(row.cells) != len(row.head) or row.head[-1] or text == "see below" or only_kinds:
        text = ""
    text = re.sub(r"\]\(#", "](../manual.md#", text).replace("|", "&#124;")
    link = f"[{'more' if text else 'manual'}](../manual.md#{slug(row.headings[-1])})" if row.headings else ""
    return f"{text} {link}".strip()


def anchor(container):
    return container.replace(".*", "-name").replace(".", "-") or "simulation"


def inner_tables(path, keys):
    """Links to the tables in a table."""
    found = [name for name in (path, path + ".*") if any(key.rpartition(".")[0] == name for key in keys)]
    return " ".join(f"[its keys](#{anchor(name)})" for name in found)


def table_of(container, keys, rows):
    named = [path for path in keys if path.rpartition(".")[0] == container]
    kinds = {kind for path in named for form in (keys[path], *keys[path]["forms"]) for kind in form["kinds"] if kind}
    title = re.sub(r"\.\*", ".NAME", container) or "simulation"
    if title.startswith(("output", "sources", "materials.NAME.debye")) and ".NAME" in title:
        title = re.sub(r"(output\.\w+|sources|debye|images)\.NAME", r"\1[i]", title)
    lines = [f"## {title} {{#{anchor(container)}}}", "",
             "| key | takes | default |" + (" kinds |" if kinds else "") + " |",
             "|---|---|---|" + ("---|" if kinds else "") + "---|"]
    for path, key in [(path, form) for path in named for form in (keys[path], *keys[path]["forms"])]:
        found = key_rules.rows_of(path, rows, keys, key["kinds"])
        mine = [kind for kind in key["kinds"] if kind]
        all_kinds = "all" if set(mine) == kinds else ", ".join(code(kind) for kind in mine)
        lines.append(f"| `{key_rules.leaf(path)}` | {takes(key)} | {default(key, found)} |" +
                     (f" {all_kinds} |" if kinds else "") + f" {meaning(found)} {inner_tables(path, keys)} |")
    return "\n".join(lines) + "\n"


def reference(path, program):
    """The page of keys: a table for every table of the simulation, and one of waveforms."""
    keys, waveforms = key_rules.program_keys(program), key_rules.program_waveforms(program)
    rows = [row for row in key_rules.manual_rows(key_rules.read_manual(), "Every key of") if key_rules.is_key_row(row)]
    containers = list(dict.fromkeys(key.rpartition(".")[0] for key in keys))
    order = sorted(containers, key=lambda name: [list(keys).index(name.split(".")[0]) if name else -1,
                                                 containers.index(name)])
    lines = [table_of(container, keys, rows) for container in order]
    lines += ["## waveform", "", "| waveform | keys | example |", "|---|---|---|"]
    for name, (known, example) in sorted(waveforms.items()):
        lines.append(f"| `{name}` | {', '.join(f'`{key}`' for key in known)} | {code(example)} |")
    count = f"{len(keys)} keys of `simulation {{ }}` and {len(waveforms)} waveforms"
    text = MARK.sub(lambda match: "\n".join(lines) + "\n" if match.group(1) == "keys" else "", read(path))
    return text.replace("COUNT", count)
