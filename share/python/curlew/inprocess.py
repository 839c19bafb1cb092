"""Simulations in this process, by libcurlew.so (maxwell/capi/curlew.h is its manual).

Functions of place and time are Python's: f(x, y, z), f(x, y, z, t) or f(t). x, y, z are arrays [n] that belong to the
solver and are read-only; t is a number, or an array [n] where there is no place. A function returns an array [n] or a
number, or, for a vector, three of these or an array [n][3].

All arrays own what they show. A simulation takes one call at a time; a second one, from another thread or from one of its
functions, is an InputError, and so is every call in a forked child, after close(), and at Python's end. The library
decides that (maxwell/capi/guard.h).
"""
import atexit
import ctypes
import glob
import os
import threading
import time as clock
import traceback
import weakref

import numpy as np

from . import errors, lua, program
from .digests import digest
from .errors import EnvironmentFailure, InputError
from .results import Results
from .tables import PointsTable, Table

API = 3
MESSAGE = 2048
DOUBLES = ctypes.POINTER(ctypes.c_double)


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * MESSAGE)]


VALUES = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                          ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
LOOK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)


class _Function(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("values", VALUES), ("self", ctypes.c_void_p), ("digest", ctypes.c_uint64)]


class _Pair(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Options(ctypes.Structure):
    _fields_ = [("script", ctypes.c_char_p), ("text", ctypes.c_char_p), ("args", ctypes.c_size_t),
                ("sets", ctypes.c_size_t), ("functions", ctypes.c_size_t), ("arg", ctypes.POINTER(_Pair)),
                ("set", ctypes.POINTER(_Pair)), ("function", ctypes.POINTER(_Function)), ("trust", ctypes.c_int),
                ("echo", ctypes.c_int), ("lua_threads", ctypes.c_int), ("lua_seconds", ctypes.c_double)]


class _Description(ctypes.Structure):
    _fields_ = [("elements", ctypes.c_uint64), ("nodes", ctypes.c_uint64), ("unknowns", ctypes.c_uint64),
                ("steps", ctypes.c_int64), ("step", ctypes.c_double), ("limit", ctypes.c_double),
                ("measures", ctypes.c_uint64), ("order", ctypes.c_int)]


class _RunOptions(ctypes.Structure):
    _fields_ = [("folder", ctypes.c_char_p), ("restart", ctypes.c_int), ("look", LOOK), ("self", ctypes.c_void_p)]


class _Position(ctypes.Structure):
    _fields_ = [("step", ctypes.c_int64), ("total", ctypes.c_int64), ("port", ctypes.c_char_p), ("over", ctypes.c_int)]


class _Record(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("name", ctypes.c_char_p), ("columns", ctypes.c_char_p),
                ("rows", ctypes.c_uint64), ("width", ctypes.c_uint64), ("time", DOUBLES), ("value", DOUBLES),
                ("points", ctypes.c_uint64), ("x", DOUBLES)]


def find_library():
    """The path of libcurlew.so: CURLEW_LIBRARY in the environment, or beside the program, or in a folder lib there."""
    given = os.environ.get("CURLEW_LIBRARY")
    if given:
        return given
    folder = os.path.dirname(os.path.realpath(program.find_program()))
    for pattern in ("libcurlew.so", "../lib/libcurlew.so", "../lib/*/libcurlew.so", "../lib64/libcurlew.so"):
        found = glob.glob(os.path.join(folder, pattern))
        if found:
            return os.path.abspath(found[0])
    raise EnvironmentFailure(f"libcurlew.so was not found beside '{folder}': the environment variable CURLEW_LIBRARY can "
                             "name it")


_loading = threading.Lock()
_loaded = None


def library():
    """The library, loaded once."""
    global _loaded  # pylint: disable=global-statement
    with _loading:
        if _loaded is None:
            # As the program does: threads that wait for each other sleep soon. OpenMP reads it when it is loaded.
            if "OMP_WAIT_POLICY" not in os.environ:
                os.environ.setdefault("GOMP_SPINCOUNT", "1000")
            if os.path.isdir(program.SHARE):
                os.environ.setdefault("CURLEW_SHARE", program.SHARE)
            path = find_library()
            try:
                lib = ctypes.CDLL(path)
            except OSError as error:
                raise EnvironmentFailure(f"cannot load '{path}': {error}") from None
            if lib.curlew_api() < API:
                raise EnvironmentFailure(f"'{path}' has version {lib.curlew_api()} of the interface, not {API}")
            declare(lib)
            if "CURLEW_MESHER" not in os.environ:
                mesher = os.path.join(os.path.dirname(os.path.realpath(path)), "curlew-mesh")
                if os.access(mesher, os.X_OK):
                    os.environ["CURLEW_MESHER"] = mesher
            _loaded = lib
    return _loaded


def declare(lib):
    handle, error = ctypes.c_void_p, ctypes.POINTER(_Error)
    pointer = ctypes.c_void_p
    for name, result, arguments in (
            ("new", ctypes.c_int, [ctypes.POINTER(handle), ctypes.POINTER(_Options), error]),
            ("free", None, [handle]),
            ("close", ctypes.c_int, [handle, error]),
            ("interrupt", ctypes.c_int, [handle]),
            ("describe", None, [handle, ctypes.POINTER(_Description)]),
            ("name", ctypes.c_char_p, [handle]),
            ("backend", ctypes.c_char_p, [handle]),
            ("version", ctypes.c_char_p, []),
            ("run", ctypes.c_int, [handle, ctypes.POINTER(_RunOptions), error]),
            ("begin", ctypes.c_int, [handle, ctypes.POINTER(_RunOptions), error]),
            ("where", None, [handle, ctypes.POINTER(_Position)]),
            ("snapshot", ctypes.c_int, [handle, error]),
            ("flush", ctypes.c_int, [handle, error]),
            ("checkpoint", ctypes.c_int, [handle, error]),
            ("finish", ctypes.c_int, [handle, error]),
            ("stop", ctypes.c_int, [handle, error]),
            ("advance", ctypes.c_int, [handle, ctypes.c_int64, error]),
            ("steps_done", ctypes.c_int64, [handle]),
            ("time", ctypes.c_double, [handle]),
            ("energy", ctypes.c_int, [handle, pointer, error]),
            ("nodes", None, [handle, pointer]),
            ("get_fields", ctypes.c_int, [handle, pointer, pointer, error]),
            ("set_fields", ctypes.c_int, [handle, pointer, pointer, error]),
            ("sample", ctypes.c_int, [handle, ctypes.c_size_t, pointer, pointer, error]),
            ("record", ctypes.c_int, [handle, ctypes.c_uint64, ctypes.POINTER(_Record), error]),
            ("copy_record", ctypes.c_int, [handle, ctypes.c_uint64, ctypes.c_uint64, pointer, pointer, pointer, error])):
        function = getattr(lib, f"curlew_{name}")
        function.restype, function.argtypes = result, arguments


_living = weakref.WeakSet()
_making = []  # a word for every simulation that a thread makes now
_ending = False


def _end_all():
    """At Python's end: ends what is at work in threads that outlive it, while their functions can still be called, and
    frees all simulations."""
    global _ending  # pylint: disable=global-statement
    _ending = True
    until = clock.monotonic() + 60
    while clock.monotonic() < until:
        try:
            left = [one for one in list(_living) if one._mine() and not one._end()]  # pylint: disable=protected-access
        except RuntimeError:  # a thread has made one meanwhile
            continue
        if not left and not _making:
            break
        clock.sleep(0.005)


def _forked():
    """In a child: simulations are the parent's, and a lock may have been copied while a thread held it."""
    global _loading  # pylint: disable=global-statement
    _loading = threading.Lock()
    _making.clear()


atexit.register(_end_all)
os.register_at_fork(after_in_child=_forked)


def view(address, shape):
    """An array on somebody else's memory, for this module alone."""
    count = int(np.prod(shape))
    return np.frombuffer((ctypes.c_double * count).from_address(address), dtype=float).reshape(shape)


class _Callback:
    """A Python function as the library calls it. What the function raises is kept for the caller of the library."""

    def __init__(self, key, function, simulation):
        self.key, self.function, self.simulation = key, function, weakref.proxy(simulation)
        self.seen = (None, None)  # the places of the last call, which are mostly those of the next
        self.values = VALUES(self._call)

    def _places(self, address, count):
        """x, y, z, which are the function's to keep."""
        given = view(address, (count, 3))
        if self.seen[0] is None or not np.array_equal(self.seen[0], given):
            columns = given.T.copy()
            columns.flags.writeable = False
            self.seen = (given.copy(), tuple(columns))
        return self.seen[1]

    def _call(self, _, count, x, t, components, value, message, room):
        try:
            if self.key == "time.finish":
                view(value, (1,))[0] = bool(self.function(*view(t, (count,)).tolist()))
                return 0
            if not x:
                given = self.function(view(t, (count,)).copy())
            elif not t:
                given = self.function(*self._places(x, count))
            else:
                given = self.function(*self._places(x, count), view(t, (1,))[0])
            self._store(given, view(value, (count, components)), components)
            return 0
        except BaseException as error:  # pylint: disable=broad-exception-caught
            try:
                self._report(error, message, room)
            except BaseException:  # pylint: disable=broad-exception-caught
                pass  # the library says that the function failed
            return 1

    def _report(self, error, message, room):
        try:
            self.simulation._raised = error  # pylint: disable=protected-access
        except ReferenceError:  # the simulation is being freed
            pass
        place = traceback.extract_tb(error.__traceback__)[-1]
        try:
            said = str(error)
        except Exception:  # pylint: disable=broad-exception-caught
            said = "(its text cannot be made)"
        text = f"{type(error).__name__}: {said} ({os.path.basename(place.filename)}:{place.lineno})"
        encoded = " ".join(text.replace("\0", " ").split()).encode(errors="replace")[:room - 1]
        ctypes.memmove(message, encoded + b"\0", len(encoded) + 1)

    def _store(self, given, out, components):
        if components == 1:
            out[:, 0] = given
        elif isinstance(given, np.ndarray):
            if given.shape not in ((components,), out.shape):
                raise ValueError(f"returned an array {list(given.shape)}, not {list(out.shape)}")
            out[:] = given
        else:
            if len(given) != components:
                raise ValueError(f"returned {len(given)} components, not {components}")
            for c in range(components):
                out[:, c] = given[c]


def pairs(items):
    array = (_Pair * max(len(items), 1))()
    for pair, (name, value) in zip(array, items):
        pair.name, pair.value = name.encode(), value.encode()
    return array


class Simulation:
    """A simulation in this process, of a script or of a dict with the keys of `simulation { }`.

    scene      path of a Lua script, or a dict; functions in a dict are Python's
    args, set  as in curlew.run; `set` may hold functions: {"initial.E": f}
    folder     of a dict: where mesh.file and the like are looked for; None: the working directory
    echo       True: the program's log on stdout

    Either step it: advance(), time, energy(), fields(), set_fields(), sample(), records; or run() it once with all of its
    output; or begin() such a run and step it: advance(), energy(), fields(), sample(), snapshot(), checkpoint(), results, and
    finish() or stop(). close() frees it; it is a context manager, too, which ends a run that Ctrl-C has left with a
    checkpoint. Errors are those of curlew.run; what a function raises comes out
    of the call that needed it.
    """

    def __init__(self, scene, args=None, set=None, *, folder=None, backend=None, trust=False, echo=False, lua_threads=0,
                 lua_seconds=0):
        if getattr(self, "_handle", None):
            raise InputError("a simulation is made once: make another one")
        self._handle = ctypes.c_void_p()
        self._process = os.getpid()
        self._raised = None
        self._folder = self._look = None  # of a run that has been begun
        self._lib = library()
        functions, overrides = {}, []
        for name, value in {**(set or {}), **({"backend": backend} if backend is not None else {})}.items():
            text = lua.value(value, name, None, functions)
            if text is not None:
                overrides.append((name, f"({text})" if text.startswith("math") else text))
        options = _Options(trust=trust, echo=echo, lua_threads=lua_threads, lua_seconds=lua_seconds)
        if isinstance(scene, dict):
            text = f"simulation {lua.value(scene, '', 0, functions)}\n"
            options.text, options.script = text.encode(), os.path.join(folder or ".", "dict").encode()
        else:
            options.script = os.fsencode(scene)
        given = [tuple(program.definition(name, value).split("=", 1)) for name, value in (args or {}).items()]
        arg, override = pairs(given), pairs(overrides)
        self._callbacks = [_Callback(name, function, self) for name, function in functions.items()]
        function = (_Function * max(len(functions), 1))()
        for slot, callback in zip(function, self._callbacks):
            slot.key, slot.values = callback.key.encode(), callback.values
            slot.digest = int.from_bytes(digest(callback.function)[:8], "little")
        options.arg, options.args = arg, len(given)
        options.set, options.sets = override, len(overrides)
        options.function, options.functions = function, len(functions)
        _making.append(self._process)
        try:
            if _ending:
                raise InputError("Python ends: no simulation can be made")
            self._do("new", ctypes.byref(self._handle), ctypes.byref(options))
            _living.add(self)
        finally:
            _making.pop()
        about = _Description()
        self._lib.curlew_describe(self._handle, ctypes.byref(about))
        self.elements, self.nodes, self.unknowns = about.elements, about.nodes, about.unknowns
        self.steps, self.step, self.limit, self.order = about.steps, about.step, about.limit, about.order
        self._measures = about.measures
        self.name = self._lib.curlew_name(self._handle).decode()
        self.backend = self._lib.curlew_backend(self._handle).decode()

    def _do(self, name, *arguments):
        """Calls a function that may fail."""
        error = _Error()
        code = getattr(self._lib, f"curlew_{name}")(*arguments, ctypes.byref(error))
        if code == 0:
            return
        message = error.message.decode(errors="replace")
        raised = self._raised
        if raised is not None and "at work" in message:  # of the call that is at work
            raised = None
        else:
            self._raised = None
        made = errors.make(code, message)
        if isinstance(raised, Exception) or raised is None:
            raise made from raised
        raise raised  # KeyboardInterrupt and the like

    def _mine(self):
        """Was it made in this process, and not in one from which this was forked?"""
        return self._process == os.getpid()

    def _open(self):
        handle = self._handle
        if not handle:
            raise InputError("the simulation is closed")
        if not self._mine():
            raise InputError(f"the simulation belongs to process {self._process}, from which this one was forked: make one "
                             "in a process of its own (multiprocessing.get_context('spawn'), or curlew.run)")
        return handle

    def close(self):
        """Frees the simulation; records that were given out stay what they are. InputError: a call of it is at work."""
        if self._handle and self._mine():
            handle, error = self._handle, _Error()
            if self._lib.curlew_close(handle, ctypes.byref(error)) != 0 and "at work" in error.message.decode():
                raise InputError(error.message.decode(errors="replace"))
            self._handle = ctypes.c_void_p()

    def _end(self):
        """At Python's end: closes it, or tells the call that is at work to end. Is it closed?"""
        try:
            self.close()
        except InputError:
            self._lib.curlew_interrupt(self._handle)
        return not self._handle

    def __reduce_ex__(self, protocol):
        raise InputError("a simulation cannot be copied, pickled or sent to another process")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is not None and issubclass(kind, KeyboardInterrupt) and self._folder is not None and not self.over:
                self.stop()
        finally:
            self.close()

    def __del__(self):
        if getattr(self, "_handle", None) and self._mine():
            self._lib.curlew_free(self._handle)
            self._handle = None

    # ---- steps

    def advance(self, steps=1):
        """Makes so many steps. Ctrl-C ends it between two of them."""
        handle, block = self._open(), 1000
        if not isinstance(steps, (int, np.integer)) or isinstance(steps, bool):
            raise InputError(f"steps must be an integer, not {steps!r}")
        steps = int(steps)
        if self._folder is not None:  # the run itself listens to signals
            self._do("advance", handle, steps)
            return self
        if steps > self.steps - self.steps_done:  # before any is made
            block = steps
        while True:  # in blocks: Python sees a signal between two calls
            part = min(steps, block)
            self._do("advance", handle, part)
            steps -= part
            if steps <= 0:
                return self

    @property
    def steps_done(self):
        return self._lib.curlew_steps_done(self._open())

    @property
    def time(self):
        """s"""
        return self._lib.curlew_time(self._open())

    def energy(self):
        """(electric, magnetic) J."""
        out = np.empty(2)
        self._do("energy", self._open(), out.ctypes.data)
        return float(out[0]), float(out[1])

    @property
    def shape(self):
        """Of a field: (elements, 3, nodes)."""
        return self.elements, 3, self.nodes

    def points(self):
        """[elements][3][nodes] m: the nodes, at which fields() has its values."""
        out = np.empty(self.shape)
        self._lib.curlew_nodes(self._open(), out.ctypes.data)
        return out

    def _array(self, array, name):
        if array is None:
            return np.empty(self.shape)
        if not isinstance(array, np.ndarray) or array.dtype != float or array.shape != self.shape or \
                not array.flags.c_contiguous or not array.flags.writeable:
            raise InputError(f"{name} must be a contiguous, writable array of float64 with the shape {self.shape}")
        return array

    def fields(self, E=None, H=None):
        """(E, H) at the nodes, V/m and A/m, [elements][3][nodes]. Arrays of the caller's are filled without a copy."""
        E, H = self._array(E, "E"), self._array(H, "H")
        if np.shares_memory(E, H):
            raise InputError("E and H share memory: give each an array of its own")
        self._do("get_fields", self._open(), E.ctypes.data, H.ctypes.data)
        return E, H

    def set_fields(self, E=None, H=None):
        """Sets both fields at the time now; None is a field of zero."""
        kept = []
        for name, array in (("E", E), ("H", H)):
            if array is not None:
                array = np.ascontiguousarray(array, dtype=float)
                if array.shape != self.shape:
                    raise InputError(f"{name} has the shape {array.shape}, not {self.shape}")
            kept.append(array)
        self._do("set_fields", self._open(), *(None if array is None else array.ctypes.data for array in kept))

    def sample(self, points):
        """[n][6]: Ex, Ey, Ez (V/m), Hx, Hy, Hz (A/m) at points [n][3] (m); nan outside the mesh. A row is a point, also
        where there are three of them."""
        try:
            points = np.array(points, dtype=float, order="C")
        except (TypeError, ValueError) as error:
            raise InputError(f"points must be numbers [n][3], m: {error}") from None
        if points.ndim != 2 or points.shape[1] != 3:
            cure = ": points.T has these" if points.ndim == 2 and points.shape[0] == 3 else \
                ": [[x, y, z]] is one point" if points.shape == (3,) else ""
            raise InputError(f"points must have the shape [n][3], not {list(points.shape)}{cure}")
        if not np.isfinite(points).all():
            raise InputError("points must be finite")
        out = np.empty((len(points), 6))
        self._do("sample", self._open(), len(points), points.ctypes.data, out.ctypes.data)
        return out

    @property
    def records(self):
        """{"probes/NAME": table} of what output's measurements have recorded so far. Those of a run that was begun are in
        `results`."""
        found = {}
        for index in range(self._measures):
            record = _Record()
            self._do("record", self._open(), index, ctypes.byref(record))
            found[f"{record.kind.decode()}/{record.name.decode()}"] = self._table(index, record)
        return found

    def _table(self, index, record):
        rows, points, names = record.rows, record.points, record.columns.decode().split(",")
        time, value, x = np.empty(rows), np.empty((rows * points, len(names))), np.empty((points, 3))
        # Not by the pointers in the record: another thread may make steps meanwhile.
        self._do("copy_record", self._open(), index, rows, time.ctypes.data, value.ctypes.data,
                 x.ctypes.data if points > 1 else None)
        if rows == 0:
            return Table({name: np.empty(0) for name in ["time", *names]})
        columns = {"time": np.repeat(time, points)}
        if record.x and points > 1:
            columns.update({name: np.tile(x[:, c], rows) for c, name in enumerate("xyz")})
        columns.update({name: value[:, c].copy() for c, name in enumerate(names)})
        return (PointsTable if points > 1 else Table)(columns)

    # ---- a run

    def run(self, out=None, progress=None, restart=False):
        """Runs the simulation with all of its output into the folder `out` (None: its name) and returns its Results.
        progress is called with (step, steps, t) about ten times a second; False from it, what it raises, and Ctrl-C end
        the run with a checkpoint."""
        stopped = []

        def look(_, n, steps, t):
            try:
                return 0 if progress(n, steps, t) is False else 1
            except BaseException as error:  # pylint: disable=broad-exception-caught
                stopped.append(error)
                return 0
        out, options = self._options(out, restart)
        if progress is not None:
            options.look = LOOK(look)
        try:
            self._do("run", self._open(), ctypes.byref(options))
        except errors.Interrupted:
            if stopped:
                raise stopped[0] from None
            raise
        return Results(out)

    def _options(self, out, restart):
        out = os.fspath(out) if out is not None else self.name
        os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
        return out, _RunOptions(folder=os.fsencode(out), restart=restart)

    # ---- a run in steps

    def begin(self, out=None, restart=False):
        """Begins a run with all of its output into the folder `out` (None: its name), which advance() then steps: of
        S-parameters one run for every port. It gives what run() gives, bit for bit. `restart` goes on from a checkpoint.
        Ctrl-C in advance() ends it with a checkpoint (curlew.Interrupted)."""
        out, options = self._options(out, restart)
        self._do("begin", self._open(), ctypes.byref(options))
        self._folder = out
        return self

    def _where(self):
        position = _Position()
        self._lib.curlew_where(self._open(), ctypes.byref(position))
        return position

    @property
    def port(self):
        """The name of the port that is driven, of a run for S-parameters; else None."""
        port = self._where().port
        return port.decode() if port is not None else None

    @property
    def total_steps(self):
        """Steps so far, of all runs for S-parameters."""
        return self._where().total

    @property
    def over(self):
        """Has the run that was begun ended?"""
        return bool(self._where().over)

    def snapshot(self):
        """Writes a snapshot of the fields now, as output.fields says, whether one is due or not, and returns it."""
        self._do("snapshot", self._open())
        step = self.steps_done
        return next(one for one in Results(self._folder).snapshots if one.step == step)

    def checkpoint(self):
        """Writes a checkpoint into the run's folder. Where somebody has looked at the fields of this step, it is completed
        before."""
        self._do("checkpoint", self._open())

    @property
    def results(self):
        """The Results in the folder of a run that was begun, as far as it has come."""
        if self._folder is None:
            raise InputError("a simulation has results when a run was begun")
        if not self.over:
            self._do("flush", self._open())
        return Results(self._folder)

    def finish(self):
        """Makes all steps that are left, writes what is known only at the end, and returns the Results."""
        self._do("finish", self._open())
        return Results(self._folder)

    def stop(self):
        """Ends the run now with a checkpoint, from which begin() or run() with restart=True goes on."""
        self._do("stop", self._open())
