"""Files that a command line names to be written: none of them takes the place of an input, or of something that curlew has
not made. maxwell/app/outputs has the same rule and the same marks."""

import os
import re
import stat

MADE = "made by curlew"  # in the metadata of pictures and in comments
HEAD = 4096
TABLES = re.compile(rb"frequency,(?:(?:S|delay|VSWR|Zin|Z|Y)\d|eps_re,eps_im,fit_re,)|entry,frequency,dB,loaded_Q"
                    rb"|[^\n]*folder,[^\n]*exit_code,[^\n]*status,[^\n]*error\n")  # the last of sweeps


class OutputError(Exception):
    """The place of an output is taken."""


def is_made_here(path):
    """An empty file is nobody's work."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return not head or MADE.encode() in head or TABLES.match(head) is not None


def check(path, inputs=(), known=False):
    """OutputError where `path` is one of the inputs, a link, or a file that curlew has not made; known: a list of an
    earlier call has it."""
    try:
        own = os.lstat(path)
    except OSError:
        return
    if stat.S_ISLNK(own.st_mode) and not path.startswith("/dev/"):
        raise OutputError(f"'{path}' is a symbolic link, which is not followed: give another name")
    if not stat.S_ISREG(own.st_mode):
        return
    for name in inputs:
        try:
            other = os.stat(name)
        except OSError:
            continue
        if (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino):
            raise OutputError(f"'{path}' is the input '{name}': give another name")
    if not known and not is_made_here(path):
        raise OutputError(f"'{path}' is there, and curlew has not made it: remove it, or give another name")
