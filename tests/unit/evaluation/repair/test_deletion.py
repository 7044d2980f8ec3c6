from __future__ import annotations

from evaluation.repair.case import Language
from evaluation.repair.deletion import without_feature

PYTHON = b"""import os

def kept(a):
    return a

class Shelf:
    def read(self, name):
        def inner():
            return 1
        return open(name).read()
"""
JAVASCRIPT = b"""const kept = (a) => { return a; };
function set(o, p, v) {
  const walk = function (k) { return o[k]; };
  o[p] = v;
}
"""


def test_the_innermost_function_that_the_fix_touches_refuses() -> None:
    fixed = PYTHON.replace(b"open(name)", b"open(os.path.basename(name))")

    deleted = without_feature({"a.py": PYTHON}, {"a.py": fixed}, Language.PYTHON)["a.py"]

    assert deleted is not None
    compile(deleted, "a.py", "exec")
    assert b"def read(self, name):\n        raise NotImplementedError" in deleted
    assert b"def kept(a):\n    return a" in deleted


def test_javascript_functions_refuse_too() -> None:
    fixed = JAVASCRIPT.replace(b"return o[k]", b"return Object.hasOwn(o, k) && o[k]")

    deleted = without_feature({"a.js": JAVASCRIPT}, {"a.js": fixed}, Language.JAVASCRIPT)["a.js"]

    assert deleted == JAVASCRIPT.replace(b"{ return o[k]; }", b'{ throw new Error("removed"); }')


def test_a_fix_outside_of_functions_empties_its_file() -> None:
    assert without_feature({"a.py": b"x = 1\n"}, {"a.py": b"x = 2\n"}, Language.PYTHON) == {"a.py": b""}


def test_files_that_the_fix_leaves_alone_or_deletes() -> None:
    before = {"same.py": PYTHON, "gone.py": PYTHON}

    deleted = without_feature(before, {"same.py": PYTHON, "gone.py": None}, Language.PYTHON)

    assert set(deleted) == {"gone.py"}
    assert b"NotImplementedError" in (deleted["gone.py"] or b"")


def test_lines_that_are_only_added_belong_to_the_function_they_are_added_to() -> None:
    fixed = PYTHON.replace(b"    return a\n", b"    return a\n    # checked\n")

    deleted = without_feature({"a.py": PYTHON}, {"a.py": fixed}, Language.PYTHON)["a.py"]

    assert deleted != PYTHON
