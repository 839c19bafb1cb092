"""Python values as Lua writes them: for --set, and for simulations that are a dict."""
import math
import re

from .errors import InputError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
KEYWORDS = frozenset("and break do else elseif end false for function goto if in local nil not or repeat return then "
                     "true until while".split())


def number(value):
    """A number with all of its digits."""
    if isinstance(value, int):
        return str(value)
    value = float(value)
    if math.isnan(value):
        return "(0/0)"
    if math.isinf(value):
        return "math.huge" if value > 0 else "(-math.huge)"
    return repr(value)


def string(text):
    """A quoted string of one line."""
    out = []
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif ord(c) < 32 or ord(c) == 127:
            out.append(f"\\{ord(c):03d}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def plain(value):
    """NumPy's scalars and arrays as Python's numbers and lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


class Chunk(str):
    """Text of Lua that stands as it is, such as Chunk("waveform.ricker { f_peak = 1e9 }")."""


def key(name, path):
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise InputError(f"a key in '{path}' is a {type(name).__name__}; keys are strings or integers")
    if isinstance(name, int):
        return f"[{name}]"
    return name if NAME.match(name) and name not in KEYWORDS else f"[{string(name)}]"


def join(path, name):
    return f"{path}.{name}" if path else str(name)


def value(item, path="", indent=None, functions=None):
    """The text of a value. dicts and lists are tables. indent: one entry a line, so many blanks in; None: one line.
    functions: a dict that takes callable values by their path; None: they are an error."""
    item = plain(item)
    if isinstance(item, Chunk):
        return str(item)
    if item is None:
        return "nil"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, (int, float)):
        return number(item)
    if isinstance(item, str):
        return string(item)
    if callable(item):
        if functions is None:
            raise InputError(f"'{path}' is a function, which only simulations in process take (curlew.Simulation)")
        functions[path] = item
        return None
    if isinstance(item, dict):
        return table([(key(name, path), entry, join(path, name)) for name, entry in item.items()], indent, functions)
    if isinstance(item, (list, tuple)):
        return table([(None, entry, join(path, i)) for i, entry in enumerate(item, 1)], indent, functions)
    raise InputError(f"'{path}' is a {type(item).__name__}; values are numbers, booleans, strings, lists and dicts")


def table(entries, indent, functions):
    inner = None if indent is None else indent + 2
    parts = []
    for name, entry, path in entries:
        text = value(entry, path, inner, functions)
        if name is None:
            parts.append("nil" if text is None else text)  # what stands behind it keeps its place
        elif text is not None:
            parts.append(f"{name} = {text}")
    if not parts:
        return "{}"
    if indent is None or len(parts) == 1 and "\n" not in parts[0] or all(name is None for name, _, _ in entries) and \
            sum(map(len, parts)) < 100 and "\n" not in "".join(parts):
        return "{ " + ", ".join(parts) + " }"
    blank = " " * inner
    return "{\n" + "".join(f"{blank}{part},\n" for part in parts) + " " * indent + "}"
