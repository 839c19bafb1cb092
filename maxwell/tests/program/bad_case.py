"""What the cases of bad_input.py are made of: edits of the harness's script."""
import re

TIME = "time = { steps = 4 }"
MATERIALS = "materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } }"
INITIAL = "initial = { E = function(x, y, z) return 0, 0, x + y end }"
PROBE = "{ name = \"inside\", at = { 0.4, 0.3, 0.2 } }"
HERE = "input/case.lua:{line}: "


def book():
    """A new list of cases, and two functions that add to it."""
    cases = []

    def case(name, says, *edits, **more):
        cases.append({"name": name, "says": says, "edits": edits, **more})

    def key(name, says, old, new, at=None, **more):
        """`old` is replaced by `new`; the message names the line of `at`, or of `new`."""
        says = re.compile(HERE + says.pattern) if isinstance(says, re.Pattern) else HERE + says
        cases.append({"name": name, "says": says, "edits": [(old, new)], "at": at or new.strip().split("\n")[-1], **more})

    return cases, case, key
