"""What the index keeps of a commit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retrieval.commits.document import NO_HASH, SKETCH, Field, Kind, document_of, kind_of, sketch_of
from retrieval.commits.domain import CommitPatch, FileChange
from retrieval.commits.families import alike


def build_commit(**changed: Any) -> CommitPatch:
    given: dict[str, Any] = {
        "id": "a" * 40,
        "parents": (),
        "authored": 1,
        "committed": 2,
        "message": "Escape names\n\nFixes #12, CVE-2020-1234.",
        "changes": (FileChange(path="src/pack_utils.c", added=2, deleted=None),),
        "sections": ("int check_size(void)",),
        "lines": ("+size > MAX_SIZE", "-size"),
    }
    return CommitPatch(**(given | changed))


@pytest.mark.parametrize(
    ("subject", "paths", "kind"),
    [
        ("Fix", ["src/a.py"], Kind(0)),
        ("Fix", [], Kind.EMPTY),
        ("Fix", ["docs/a.rst", "README.md"], Kind.DOCS_ONLY),
        ("Fix", ["tests/test_a.py"], Kind.TESTS_ONLY),
        ("Fix", ["src/a.py", "tests/test_a.py", "CHANGES.rst"], Kind.WITH_TESTS | Kind.WITH_CHANGELOG),
        ("Fix", ["tests/test_a.py", "CHANGES.rst"], Kind(0)),
        ('Revert "Fix"', ["a.c"], Kind.REVERT),
        ("Bump mypy from 1 to 2", ["a.c"], Kind.BUMP),
        ("Release 1.2", ["a.c"], Kind.RELEASE),
        ("v1.2.3", ["a.c"], Kind.RELEASE),
    ],
)
def test_the_kind_of_a_change(subject: str, paths: list[str], kind: Kind) -> None:
    assert kind_of(subject, paths) == kind


def test_terms_by_field() -> None:
    terms = document_of(build_commit()).terms

    assert terms[Field.MENTIONS].keys() == {"#12", "cve-2020-1234"}
    assert terms[Field.NAMES].keys() == {"pack_utils.c", "pack_utils"}
    assert {"max_size", "size"} <= terms[Field.DIFF].keys()
    assert "check_size" in terms[Field.SECTIONS]
    assert terms[Field.DOCUMENT]["size"] == terms[Field.DIFF]["size"] + terms[Field.SECTIONS]["size"]


def test_counts_of_lines_and_files() -> None:
    document = document_of(build_commit())

    assert (document.lines, document.files, document.subject) == (2, 1, "Escape names")


def test_a_sketch_does_not_heed_order_or_spaces() -> None:
    assert sketch_of(["+a  b", "-c"]) == sketch_of(["-c", "+a b"])
    assert sketch_of(["+"]) == ()
    assert len(sketch_of(f"+{number}" for number in range(100))) == SKETCH


def row(lines: list[str]) -> np.ndarray[Any, Any]:
    found = sketch_of(lines)
    return np.array([*found, *[NO_HASH] * (SKETCH - len(found))], dtype=np.uint32)


def test_patches_are_alike_by_the_lines_they_share() -> None:
    lines = [f"+line {number}" for number in range(40)]

    assert alike(row(lines), row(lines)) == 1.0
    assert alike(row(lines), row([f"+other {number}" for number in range(40)])) == 0.0
    assert 0.5 < alike(row(lines), row([*lines[:36], "+x", "+y", "+z", "+w"])) < 1.0
    assert alike(row([]), row([])) == 0.0
