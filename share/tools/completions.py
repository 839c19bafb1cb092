#!/usr/bin/env python3
"""Makes the completions for bash, zsh and fish from the man page: completions.py MAN FOLDER writes curlew, _curlew and
curlew.fish into the folder.

The SYNOPSIS says which options a command has, the lists below it what they are for. Words in .Li of an option's text are
its values, unless its argument has a = or is a file or folder. ctest's `check_completions` compares all of it with the
program.
"""
import os
import re
import sys
from dataclasses import dataclass, field

PATHS = {"dir": "folder", "folder": "folder", "script": "script", "file": "file", "table": "file"}


@dataclass
class Option:
    names: list  # ["-o", "--output"]
    argument: str  # "" for a flag; "dir", "key=value", ...
    about: str
    values: list

    @property
    def kind(self):
        """What completes its value: folder, script, file, values, or none."""
        if not self.argument:
            return "flag"
        return PATHS.get(self.argument) or ("values" if self.values else "none")


@dataclass
class Command:
    name: str
    argument: str = ""
    about: str = ""
    options: list = field(default_factory=list)


class PageError(Exception):
    """One line about what in the man page is not understood."""


def macros(text):
    """[(macro, words)] of a page; text is the macro ''."""
    for line in text.splitlines():
        if line.startswith('.\\"'):
            continue
        found = re.match(r"\.(\w\w)\b ?(.*)$", line)
        yield (found[1], found[2].split()) if found else ("", line.split())


def flag(words):
    """The names, argument and rest of `Fl -set Ar key Ns = Ns Ar value`, `Fl o Ar dir , Fl -output Ar dir`."""
    names, argument, word = [], "", 0
    while word < len(words):
        if words[word] == "Fl":
            word += 1
            names.append("-" + words[word])
        elif words[word] == "Ar" and len(names) == 1:
            argument += words[word + 1]
            word += 1
        elif words[word] == "=" and len(names) == 1:
            argument += "="
        word += 1
    return names, argument


def plain(lines):
    """The first sentence of a list's item, as text."""
    text = " ".join(word for macro, words in lines if macro != "Pq" for word in words
                    if word not in ("Ns", "Ar", "Fl", "Pa", "Li", "Cm", "Ev", "Xr") and macro not in ("Pp", "El", "Bl"))
    text = re.sub(r" ([.,:;])", r"\1", text)
    return re.split(r"(?<=[a-z)])[.:;](?: |$)", text)[0].rstrip(".:; ")


def values(lines):
    found = []
    for macro, words in lines:
        if macro == "Li":
            found += [word for word in words if re.fullmatch(r"\w[\w.]*", word)]
    return list(dict.fromkeys(found))


def items(text):
    """(command or "", head words, lines) of every .It; the command is that of "The options of COMMAND follow it"."""
    owner, head, lines, before = "", None, [], []
    for macro, words in macros(text):
        before = (before + [(macro, words)])[-4:]
        if macro == "Bl":
            said = [found for found in before if found[0] == "Cm"]
            owner = said[-1][1][0] if said and any("options" in found[1] for found in before) else ""
        if macro in ("It", "El", "Sh"):
            if head is not None:
                yield owner, head, lines
            head, lines = (words if macro == "It" else None), []
        elif head is not None:
            lines.append((macro, words))


def read(page):
    sections = dict(re.findall(r"^\.Sh ([A-Z ]+)\n(.*?)(?=^\.Sh |\Z)", page, re.M | re.S))
    about, commands = {}, []
    for owner, head, lines in items(sections["DESCRIPTION"]):
        if head[:1] == ["Cm"]:
            about["", head[1]] = plain(lines)
        elif head[:1] == ["Fl"]:
            parts, argument = [], ""
            for part in " ".join(head).split(" , "):
                names, given = flag(part.split())
                parts, argument = parts + names, argument or given
            # `Fl -field Ar name , Fl -plane Ar z` are two options, `Fl q , Fl -quiet` is one
            groups = [parts] if len(parts) == 2 and len(parts[0]) == 2 else [[name] for name in parts]
            if len(groups) > 1 or not argument:
                arguments = [flag(part.split())[1] for part in " ".join(head).split(" , ")]
            else:
                arguments = [argument]
            for names, given in zip(groups, arguments + arguments[-1:] * len(groups)):
                alone = len(groups) == 1  # else nobody can say whose the words are
                option = Option(names, given, plain(lines), values(lines) if alone and "=" not in given else [])
                for name in names:
                    about[owner, name] = option
    for macro, words in macros(sections["SYNOPSIS"]):
        if macro == "Cm":
            commands.append(Command(words[0], about=about.get(("", words[0]), "")))
            inside = True
        elif macro == "Ar" and commands:
            commands[-1].argument = commands[-1].argument or words[0]
        elif macro == "Nm":
            inside = False
        elif macro == "Op" or macro == "Fl" and inside:
            words = words if macro == "Op" else ["Fl", *words]
            name = flag(words)[0][0]
            option = about.get((commands[-1].name, name)) or about.get(("", name))
            if option is None:  # it is explained where the command is
                option = Option([name], flag(words)[1], f"see the manual page about {commands[-1].name}", [])
            commands[-1].options.append(option)
    if not commands:
        raise PageError("the SYNOPSIS has no commands")
    quiet = about["", "-q"]
    for command in commands:
        names = [name for option in command.options for name in option.names]
        if "-q" in names and quiet not in command.options:
            raise PageError(f"-q of {command.name} is another one")
    return commands, [about["", "-h"], about["", "-V"]]


# ---- bash

BASH = """\
# Completion of curlew for bash; made from the man page by share/tools/completions.py.
_curlew()
{{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  compopt -o default 2>/dev/null
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{commands} {general}" -- "$word")
    return
  fi
  case $command:$before in
{values}
  esac
  if [[ $word == -* ]]; then
    case $command in
{options}
    esac
    compopt +o default 2>/dev/null
    return
  fi
  case $command in
{arguments}
  esac
}}
_curlew_folders()
{{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$1")
}}
_curlew_scripts()
{{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -X '!*.lua' -- "$1"; compgen -d -- "$1")
}}
complete -F _curlew curlew
"""


def all_names(options):
    return [name for option in options for name in option.names]


def bash(commands, general):
    cases = []
    for command in commands:
        for option in command.options:
            if option.kind in ("flag", "none"):
                continue
            head = " | ".join(f"{command.name}:{name}" for name in option.names)
            body = {"folder": '_curlew_folders "$word"', "script": '_curlew_scripts "$word"', "file": ":",
                    "values": f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(option.values)}" -- "$word")'}[option.kind]
            cases.append(f"    {head}) {body}; return ;;")
    return BASH.format(
        commands=" ".join(command.name for command in commands), general=" ".join(all_names(general)),
        values="\n".join(cases),
        options="\n".join(f'      {command.name}) mapfile -t COMPREPLY < <(compgen -W "'
                          f'{" ".join(all_names(command.options))}" -- "$word") ;;' for command in commands),
        arguments="\n".join(f'    {command.name}) _curlew_{PATHS[command.argument]}s "$word" ;;' for command in commands
                            if command.argument in PATHS))


# ---- zsh

ZSH = """\
#compdef curlew
# Completion of curlew for zsh; made from the man page by share/tools/completions.py.
_curlew()
{{
  local -a commands=(
{commands}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    _arguments {general}
    return
  fi
  case ${{words[2]}} in
{cases}
  esac
}}
_curlew_of()
{{
  shift words
  ((CURRENT--))
  _arguments -s "$@"
}}
_curlew "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_action(kind, words):
    return {"folder": "_files -/", "script": "_files -g '*.lua'", "file": "_files", "none": " ",
            "values": f"({' '.join(words)})"}[kind]


def zsh_option(option):
    repeat = "*" if "=" in option.argument else ""
    lines = []
    for name in option.names:
        long = name.startswith("--")
        tail = "" if option.kind == "flag" else f":{zsh_text(option.argument)}:{zsh_action(option.kind, option.values)}"
        equals = "" if option.kind == "flag" else "=" if long else "+"
        others = f"({' '.join(option.names)})" if len(option.names) > 1 and not repeat else ""
        lines.append(quoted(f"{others}{repeat}{name}{equals}[{zsh_text(option.about)}]{tail}"))
    return lines


def zsh(commands, general):
    cases = []
    for command in commands:
        words = [line for option in command.options for line in zsh_option(option)]
        if command.argument:
            words.append(quoted(f"1:{command.argument}:{zsh_action(PATHS.get(command.argument, 'none'), [])}"))
        cases.append(f"    {command.name})\n      _curlew_of \\\n        " + " \\\n        ".join(words or ["''"]) + "\n      ;;")
    return ZSH.format(commands="\n".join(f"    {quoted(f'{command.name}:{zsh_text(command.about)}')}" for command in commands),
                      general=" ".join(line for option in general for line in zsh_option(option)), cases="\n".join(cases))


# ---- fish

def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(condition, option):
    words = ["complete -c curlew -n", fish_text(condition)]
    for name in option.names:
        words.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if option.kind == "folder":
        words.append("-x -a '(__fish_complete_directories)'")
    elif option.kind == "script":
        words.append("-x -a '(__fish_complete_suffix .lua)'")
    elif option.kind == "file":
        words.append("-r -F")
    elif option.kind == "values":
        words.append(f"-x -a {fish_text(' '.join(option.values))}")
    elif option.kind == "none":
        words.append("-x")
    return " ".join([*words, "-d", fish_text(option.about)])


def fish(commands, general):
    lines = ["# Completion of curlew for fish; made from the man page by share/tools/completions.py.", "complete -c curlew -f"]
    for command in commands:
        lines.append(f"complete -c curlew -n __fish_use_subcommand -a {command.name} -d {fish_text(command.about)}")
    lines += [fish_option("__fish_use_subcommand", option) for option in general]
    for command in commands:
        seen = f"__fish_seen_subcommand_from {command.name}"
        if command.argument in PATHS:
            what = "(__fish_complete_suffix .lua)" if command.argument == "script" else "(__fish_complete_directories)"
            lines.append(f"complete -c curlew -n {fish_text(seen)} -a {fish_text(what)}")
        lines += [fish_option(seen, option) for option in command.options]
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print("usage: completions.py MAN FOLDER", file=sys.stderr)
        return 2
    page, folder = arguments
    try:
        with open(page, encoding="utf-8") as file:
            commands, general = read(file.read())
        os.makedirs(folder, exist_ok=True)
        for name, make in (("curlew", bash), ("_curlew", zsh), ("curlew.fish", fish)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(make(commands, general))
    except (PageError, OSError) as error:
        print(f"completions: {page}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
