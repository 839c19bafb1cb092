"""Errors of Curlew as exceptions. The classes follow the exit codes of the program.

An error has
    code     exit code of the program: 2, 3, 4, 70, 130; None if a signal ended it
    message  the program's line, without the word "curlew:" before it
    file     script that the message names, or None
    line     line in that script, or None
    warnings what the program had warned of before
"""
import re

PLACE = re.compile(r"^(?P<file>[^:\n]*[^:\s]):(?P<line>\d+): ")


class CurlewWarning(UserWarning):
    """What the program says in a line that begins with "warning:"."""


class CurlewError(Exception):
    """Any error of the program; the base of all classes below."""

    code = None

    def __init__(self, message, code=None, warnings=()):
        super().__init__(message)
        self.message = message
        self.warnings = list(warnings)
        if code is not None:
            self.code = code
        place = None if message.startswith(("--set ", "-D ")) else PLACE.match(message)
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None


class InputError(CurlewError, ValueError):
    """The user's input is wrong: arguments, script, geometry, mesh."""

    code = 2


class EnvironmentFailure(CurlewError):
    """The machine is at fault: disk, memory, a program or a device that is missing."""

    code = 3


class BlewUp(CurlewError):
    """The solution grew beyond all bounds, and the run was stopped."""

    code = 4


class ProgramBug(CurlewError):
    """A bug in the program; please report it with the message."""

    code = 70


class Interrupted(CurlewError, KeyboardInterrupt):
    """The run was interrupted, or ended before time.walltime. It is a KeyboardInterrupt, too, so that Ctrl-C ends a
    Python program as always."""

    code = 130


class Killed(CurlewError):
    """A signal ended the program, or it ended with a code that it does not have."""


CLASSES = {kind.code: kind for kind in (InputError, EnvironmentFailure, BlewUp, ProgramBug, Interrupted)}


def make(code, message, warnings=()):
    """The exception for an exit code."""
    kind = CLASSES.get(code)
    if kind is None:
        return Killed(message, None if code is not None and code < 0 else code, warnings)
    return kind(message, code, warnings)
