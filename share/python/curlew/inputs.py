"""The files on which runs depend, and whose a sweep's folder is: for curlew.sweep and `curlew sweep`. Needs nothing but
Python, and is loaded without the package, which needs NumPy."""
import contextlib
import fcntl
import hashlib
import json
import os
import re
import socket
import struct
import time

ENDINGS = "geo msh step stp brep igs iges csv lua xao stl txt"
INPUTS = re.compile(rb"""["']([^"'\n]+\.(?:%s))["']""" % ENDINGS.replace(" ", "|").encode(), re.IGNORECASE)
INCLUDES = re.compile(rb"""^\s*(?:Include|Merge)\s+["']([^"'\n]+)["']""", re.M)
MODULES = re.compile(rb"""require[ (]*["']([^"'\n]+)["']""")


def read_bytes(path):
    """The content of a regular file, or None."""
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read()
    except OSError:
        pass
    return None


def input_files(script):
    """[(name, digest)] of the script, and of the files beside it that it and they name: geometries, tables, modules. Empty
    where the script cannot be read."""
    found, to_read = {}, [script]
    while to_read:
        path = to_read.pop()
        content = read_bytes(path) if path not in found else None
        if content is None:
            continue
        found[path] = hashlib.sha256(content).hexdigest()
        if path == script or path.lower().endswith((".lua", ".geo")):
            names = INPUTS.findall(content) + INCLUDES.findall(content)
            names += [module.replace(b".", b"/") + b".lua" for module in MODULES.findall(content)]
            to_read += [os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(name))) for name in names]
    return sorted(found.items()) if script in found else []


def files_read(folder):
    """The files that the run in a folder has read, with digests, also those whose names an argument makes; and whether one
    was changed after the run began. None: one is not there, or it is not known."""
    path = os.path.join(folder, "configuration.json")
    content, found = read_bytes(path), {}
    try:
        began = os.stat(path).st_mtime_ns
        for name in json.loads(content or b"")["files"]:
            files = input_files(name)
            if not files:
                return None, False
            found.update(files)
        return found, any(os.stat(name).st_mtime_ns > began for name in found)
    except (ValueError, KeyError, TypeError, OSError):
        return None, False


class Busy(Exception):
    """Somebody else has the lock; the text is " (HOST, process N, since DATE)", or empty where that is not known."""


def _holder(file):
    """The words that the holder has signed the file with, and whether it may be there still."""
    file.seek(0)
    words = file.read(256).split()
    if len(words) != 4 or not words[1].isdigit():
        return [], False
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return words, words[0] != socket.gethostname()
    except OSError:
        pass
    return words, True


def _name_holder(file):
    """A moment passes between taking the lock and signing; meanwhile the file names nobody, or somebody who is gone."""
    for _ in range(20):
        words, there = _holder(file)
        if there:
            break
        time.sleep(0.01)
    return f" ({words[0]}, process {words[1]}, since {words[2]} {words[3]})" if words else ""


@contextlib.contextmanager
def lock(path):
    """Keeps other sweeps out of the file's folder. libdg/files/lock.h has the same lock. Busy: another one is at work."""
    own = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    with open(own, "r+", encoding="utf-8", errors="replace") as file:
        try:  # struct flock of all of the file; it belongs to the open file, so that threads do not matter
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        except (BlockingIOError, PermissionError):
            raise Busy(_name_holder(file)) from None
        except OSError:  # a file system without locks: is the process that has signed still there, on this machine?
            words, there = _holder(file)
            if there and words[0] == socket.gethostname() and int(words[1]) != os.getpid():
                raise Busy(_name_holder(file)) from None
        file.seek(0)
        file.truncate(0)
        file.write(f"{socket.gethostname()} {os.getpid()} {time.strftime('%Y-%m-%d %H:%M:%S')}\n")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)
