"""Digests of Python functions by all that they read, for checkpoints: a run goes on only with the functions that it began with.

Counted are a function's code (without lines, comments and documentation), its defaults, the variables that it encloses, the
globals that its code names, and what these hold: functions, bound methods, partials, objects with their classes, arrays. Of
functions and classes of libraries (the standard one, and what is installed) name and version count, and of their objects
what pickle would keep. Names are a superset: an attribute with the name of a global counts as that global. An object
that says nothing of itself, such as an open file, counts by its type.
"""
import functools
import hashlib
import struct
import sys
import sysconfig
import types

import numpy as np

SCALARS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
# Of a class: what differs without a meaning.
LEFT_OUT = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__",
            "__annotations__", "__annotate__", "__annotations_cache__", "__abstractmethods__", "_abc_impl"}


@functools.lru_cache(maxsize=None)
def folders():
    """Where libraries lie."""
    return tuple({path for name, path in sysconfig.get_paths().items() if name in ("stdlib", "platstdlib", "purelib", "platlib")})


@functools.lru_cache(maxsize=None)
def is_library(name):
    """Is the module of that name the user's own, or installed?"""
    root = (name or "").partition(".")[0]
    if root == __package__ or root in sys.builtin_module_names or root in getattr(sys, "stdlib_module_names", ()):
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and (file.startswith(folders()) or "site-packages" in file or "dist-packages" in file)


def names_of(code):
    """The names in the code and in the functions within it, each once, in their order."""
    found = dict.fromkeys(code.co_names)
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            found.update(dict.fromkeys(names_of(item)))
    return found


class _Walk:
    """Objects are numbered as they are met and looked at in that order: addresses do not matter, and circles end."""

    def __init__(self):
        self.state = hashlib.sha256()
        self.seen, self.objects = {}, []  # the list also keeps what is made on the way, so that no address is used twice

    def add(self, *parts):
        """Words, with their lengths: no two lists of words are the same bytes."""
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode(errors="surrogatepass")
            self.state.update(struct.pack("<q", len(data)))
            self.state.update(data)

    def reach(self, value):
        if isinstance(value, SCALARS) and type(value) in SCALARS:
            self.add(type(value).__name__, repr(value))
        elif type(value) is tuple:  # by its values: whether two are one object is the compiler's choice
            self.add("tuple", len(value))
            for item in value:
                self.reach(item)
        else:
            number = self.seen.get(id(value))
            if number is None:
                number = self.seen[id(value)] = len(self.objects)
                self.objects.append(value)
            self.add("object", number)

    def finish(self):
        for value in self.objects:  # which grows
            self.look(value)
        return self.state.digest()

    def look(self, value):
        for kind, look in LOOKS:
            if isinstance(value, kind):
                return look(self, value)
        return self.look_at_object(value)

    # ---- functions

    def code(self, code, documentation=None):
        self.add("code", code.co_code, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self.add(*code.co_names)
        for i, item in enumerate(code.co_consts):
            if isinstance(item, types.CodeType):
                self.code(item)
            elif i > 0 or documentation is None or item != documentation:
                self.reach(item)

    def library(self, value):
        """Adds something of a library by its name; False: it is the user's own."""
        module = getattr(value, "__module__", None) or ""
        if not is_library(module):
            return False
        root = sys.modules.get(module.partition(".")[0])
        self.add("library", module, getattr(value, "__qualname__", repr(type(value))), getattr(root, "__version__", ""))
        return True

    def look_at_function(self, function):
        if self.library(function):
            return
        self.code(function.__code__, function.__doc__)
        self.reach(function.__defaults__)
        self.reach(tuple(sorted((function.__kwdefaults__ or {}).items())))
        for cell in function.__closure__ or ():
            try:
                self.reach(cell.cell_contents)
            except ValueError:  # a variable that has no value yet
                self.add("empty")
        self.look_at_names(names_of(function.__code__), function.__globals__)
        self.reach(function.__dict__)

    def look_at_names(self, names, scope):
        """Globals, and what the user's own modules among them have under the names."""
        own = [scope[name] for name in names if isinstance(scope.get(name), types.ModuleType)
               and not is_library(scope[name].__name__)]
        for table in (scope, *map(vars, own)):
            for name in names:
                if name in table and not (name.startswith("__") and name.endswith("__")):
                    self.add(name)
                    self.reach(table[name])

    def look_at_method(self, method):
        self.add("method")
        self.reach(method.__func__)
        self.reach(method.__self__)

    def look_at_partial(self, partial):
        self.add("partial")
        self.reach(partial.func)
        self.reach(partial.args)
        self.reach(partial.keywords)

    def look_at_builtin(self, function):
        self.add("builtin", getattr(function, "__module__", None) or "", function.__qualname__)
        owner = getattr(function, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.reach(owner)

    def look_at_wrapper(self, wrapper):
        self.add("wrapper", type(wrapper).__name__)
        self.reach(wrapper.__func__ if isinstance(wrapper, (staticmethod, classmethod)) else wrapper.__wrapped__)

    def look_at_property(self, item):
        self.add("property")
        self.reach((item.fget, item.fset))

    # ---- data

    def look_at_array(self, array):
        self.add("array", array.dtype.str if array.dtype.names is None else array.dtype.descr, array.shape)
        if array.dtype.hasobject:
            self.reach(array.tolist())
        else:
            self.state.update(np.ascontiguousarray(array).tobytes())

    def look_at_number(self, number):
        self.add("number", number.dtype.str, number.tobytes())

    def look_at_list(self, items):
        self.add("list", len(items))
        for item in items:
            self.reach(item)

    def look_at_dict(self, table):
        self.add("dict", len(table))
        for _, key, value in sorted(((digest(key), key, value) for key, value in table.items()), key=lambda entry: entry[0]):
            self.reach(key)
            self.reach(value)

    def look_at_set(self, items):
        self.add("set", *sorted(digest(item) for item in items))

    def look_at_module(self, module):
        """What a function reads of a module of the user's is looked at by its names."""
        self.add("module", module.__name__, getattr(module, "__version__", ""))

    def look_at_class(self, kind):
        if self.library(kind):
            return
        self.add("class", kind.__qualname__)
        self.reach(kind.__bases__)
        for name in sorted(set(vars(kind)) - LEFT_OUT):
            self.add(name)
            self.reach(vars(kind)[name])

    def look_at_object(self, value):
        kind = type(value)
        self.reach(kind)
        if kind.__module__.partition(".")[0] == __package__:  # of a simulation: the file of its script says more
            return
        state = getattr(value, "__dict__", None)
        slots = [name for one in kind.__mro__ for name in words(vars(one).get("__slots__", ()))
                 if name not in ("__dict__", "__weakref__")]
        if not is_library(kind.__module__) and (state is not None or slots):
            self.reach(state)
            for name in slots:
                self.add(name)
                self.reach(getattr(value, name, None))
            return
        try:
            self.reach(value.__reduce_ex__(4))
        except Exception:  # it cannot be kept: an open file, a lock
            self.add("nothing")


def words(slots):
    return (slots,) if isinstance(slots, str) else slots


LOOKS = ((types.FunctionType, _Walk.look_at_function), (types.MethodType, _Walk.look_at_method),
         (functools.partial, _Walk.look_at_partial), (types.BuiltinFunctionType, _Walk.look_at_builtin),
         (type(functools.lru_cache(len)), _Walk.look_at_wrapper), ((staticmethod, classmethod), _Walk.look_at_wrapper),
         (property, _Walk.look_at_property), (np.ufunc, lambda walk, value: walk.add("ufunc", value.__name__)),
         (np.ndarray, _Walk.look_at_array), (np.generic, _Walk.look_at_number), (type, _Walk.look_at_class),
         (types.ModuleType, _Walk.look_at_module), (types.CodeType, _Walk.code))
BY_TYPE = {list: _Walk.look_at_list, dict: _Walk.look_at_dict, set: _Walk.look_at_set, frozenset: _Walk.look_at_set,
           types.MappingProxyType: _Walk.look_at_dict}
LOOKS += tuple((kind, look) for kind, look in BY_TYPE.items())


def digest(value):
    """32 bytes, which are the same in every process."""
    walk = _Walk()
    walk.reach(value)
    return walk.finish()
