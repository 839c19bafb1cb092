#!/usr/bin/env python3
"""Digests of Python functions: equal where what they read is equal, in every process; different where anything differs.

  check_digests.py
"""
import os
import subprocess
import sys
import textwrap
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from curlew import digests  # noqa: E402

HEAD = """
import functools, math, operator, sys, types
import numpy as np
A = {a}
module = types.ModuleType("module")
module.k = A
sys.modules["module"] = module
"""
# Text that makes f of A; functions of 1 and of 2 differ.
DIFFER = {
    "a constant": "def f(x): return {a} * x",
    "a default": "def f(x, k=A): return k * x",
    "a default by name": "def f(x, *, k=A): return k * x",
    "a variable": "def make(k):\n    return lambda x: k * x\nf = make(A)",
    "a global": "def f(x): return A * x",
    "a global's global": "def g(x): return A * x\ndef f(x): return g(x)",
    "a name in a function within": "def f(x): return sum(A * y for y in x)",
    "a partial": "def g(k, x): return k * x\nf = functools.partial(g, A)",
    "a partial by name": "def g(x, k): return k * x\nf = functools.partial(g, k=A)",
    "an object": "class C:\n    def __init__(self, k): self.k = k\n    def __call__(self, x): return self.k * x\nf = C(A)",
    "an object with slots": "class C:\n    __slots__ = ('k',)\n    def __call__(self, x): return self.k * x\nf = C()\nf.k = A",
    "the code of an object": "class C:\n    def __call__(self, x): return {a} * x\nf = C()",
    "its base": "class B:\n    def __call__(self, x): return {a} * x\nclass C(B): pass\nf = C()",
    "its class's variable": "class C:\n    k = A\n    def __call__(self, x): return self.k * x\nf = C()",
    "a property": "class C:\n    @property\n    def k(self): return {a}\n    def __call__(self, x): return self.k * x\nf = C()",
    "a static method": "class C:\n    @staticmethod\n    def g(x): return {a} * x\nf = C.g",
    "a bound method": "class C:\n    def __init__(self, k): self.k = k\n    def g(self, x): return self.k * x\nf = C(A).g",
    "a class method": "class C:\n    @classmethod\n    def g(cls, x): return A * x\nf = C.g",
    "a cached function": "@functools.lru_cache\ndef f(x): return {a} * x",
    "a decorated function": "def twice(g):\n    return functools.wraps(g)(lambda x: {a} * g(x))\n@twice\ndef f(x): return x",
    "an array": "k = np.array([1.0, A, 3.0])\ndef f(x): return k[1] * x",
    "a number's type": "k = np.float32(1) if A == 1 else np.float64(1)\ndef f(x): return k * x",
    "an array's shape": "k = np.ones(6) if A == 1 else np.ones((2, 3))\ndef f(x): return k.sum() * x",
    "an array of objects": "k = np.array([lambda x: {a} * x], dtype=object)\ndef f(x): return k[0](x)",
    "deep in tables": "k = {{'a': [({{A}}, [A])]}}\ndef f(x): return k",
    "a function of a library": "g = math.sin if A == 1 else math.cos\ndef f(x): return g(x)",
    "a method of something built in": "f = [A].count",
    "a ufunc": "f = np.sin if A == 1 else np.cos",
    "vectorize": "@np.vectorize\ndef f(x): return {a} * x",
    "a polynomial": "f = np.polynomial.Polynomial([1.0, A])",
    "an operator": "f = operator.itemgetter(A)",
    "a module of one's own": "def f(x): return module.k * x",
    "random numbers": "r = np.random.default_rng(A)\ndef f(x): return r.random() * x",
    "a circle": "k = [A]\nk.append(k)\ndef f(x): return k[0] * x",
    "far down": "k = A\nfor i in range(5000): k = [k]\ndef f(x): return k",
    "an attribute": "def f(x): return f.k * x\nf.k = A",
    "the order of arguments": "def f(x, y): return x - y\nif A == 2:\n    def f(x, y): return y - x",
}
# What does not matter: functions of 1 and of 2 are the same.
SAME = {
    "a remark": "# {a}\ndef f(x):\n    # {a}\n    return x" + "\n" * 3,
    "lines": "\n" * 3 + "def f(x):\n    '''{a}'''\n    return x",
    "a global that is not read": "other = A\ndef f(x): return math.sin(x)",
    "the order of a set": "k = {{'a', 'b', 'c', 'd', 'e'}}\ndef f(x): return x in k or x in {{'p', 'q', 'r'}}",
    "an open file": "k = open(__file__ if A == 1 else '/dev/null')\ndef f(x): return k.read()",
    "a library": "def f(x): return np.linalg.norm(x) + functools.reduce(operator.add, x)",
    "its own recursion": "def f(n): return 1 if n < 2 else n * f(n - 1)",
}
SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from curlew import digests
{text}
print(digests.digest(f).hex())
"""


def made(text, a):
    scope = {"__name__": "__main__", "__file__": __file__}
    exec(textwrap.dedent((HEAD + text).replace("{{", "\0").replace("}}", "\1").replace("{a}", str(a)).replace("\0", "{")
                         .replace("\1", "}")), scope)
    return scope["f"]


class Digests(unittest.TestCase):
    def test_what_differs(self):
        for what, text in DIFFER.items():
            with self.subTest(what):
                one, again, two = (digests.digest(made(text, a)) for a in (1, 1, 2))
                self.assertEqual(one, again)
                self.assertNotEqual(one, two)

    def test_what_does_not_matter(self):
        for what, text in SAME.items():
            with self.subTest(what):
                self.assertEqual(digests.digest(made(text, 1)), digests.digest(made(text, 2)))

    def test_in_every_process(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        text = "\n".join(f"fs = []\nfrom check_digests import *\nfor t in (*DIFFER.values(), *SAME.values()): fs.append(made(t, 1))\nf = fs"
                         .split("\n"))
        found = set()
        for seed in ("0", "1", "77"):
            done = subprocess.run([sys.executable, "-c", SCRIPT.format(folder=folder, text=text)], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))})
            self.assertEqual(done.returncode, 0, done.stderr)
            found.add(done.stdout)
        self.assertEqual(len(found), 1)


if __name__ == "__main__":
    unittest.main()
