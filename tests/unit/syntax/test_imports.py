"""A missing import is added where its like stand; one that is there is used under its name."""

from __future__ import annotations

import pytest

from agent.domain.patch import SourceFile
from agent.syntax.edits import Edit, apply, insert_lines_after
from agent.syntax.imports import javascript_module, python_module
from agent.syntax.source import Source, language_of, parses, read


def build_source(text: str, path: str = "module.py") -> Source:
    source = read(SourceFile(path=path, content=text.encode()))
    assert source is not None
    return source


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("import os\n", "hmac", "import hmac\nimport os\n"),
        ("import abc\n", "hmac", "import abc\nimport hmac\n"),
        ("import hmac\n", "hmac", "import hmac\n"),
        ("import hmac as h\n", "h", "import hmac as h\n"),
        ("import os, hmac\n", "hmac", "import os, hmac\n"),
        ("from pathlib import Path\n", "hmac", "import hmac\nfrom pathlib import Path\n"),
        ("from flask import Flask\n", "hmac", "import hmac\n\nfrom flask import Flask\n"),
        ('"""Doc."""\nx = 1\n', "hmac", '"""Doc."""\n\nimport hmac\nx = 1\n'),
        (
            '"""Doc."""\nfrom __future__ import annotations\n\nx = 1\n',
            "hmac",
            '"""Doc."""\nfrom __future__ import annotations\n\nimport hmac\n\nx = 1\n',
        ),
        (
            "#!/usr/bin/env python\n# note\nx = 1\n",
            "hmac",
            "#!/usr/bin/env python\n# note\nimport hmac\n\nx = 1\n",
        ),
        ("x = 1", "hmac", "import hmac\n\nx = 1"),
        ('"""Doc."""', "hmac", '"""Doc."""\n\nimport hmac'),
        (
            "def f(hmac):\n    return hmac\n",
            "_hmac",
            "import hmac as _hmac\n\ndef f(hmac):\n    return hmac\n",
        ),
        ("x.hmac = f(hmac=1)\n", "hmac", "import hmac\n\nx.hmac = f(hmac=1)\n"),
    ],
)
def test_python(before: str, name: str, after: str) -> None:
    source = build_source(before)
    found, edits = python_module(source, "hmac")
    assert (found, apply(before, edits)) == (name, after)


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("const crypto = require('crypto');\n", "crypto", "const crypto = require('crypto');\n"),
        ("import c from 'node:crypto'\n", "c", "import c from 'node:crypto'\n"),
        ("import * as c from 'crypto'\n", "c", "import * as c from 'crypto'\n"),
        (
            "const fs = require('fs');\nf();\n",
            "crypto",
            "const fs = require('fs');\nconst crypto = require('crypto');\nf();\n",
        ),
        (
            'var fs = require("fs")\nf()\n',
            "crypto",
            'var fs = require("fs")\nvar crypto = require("crypto")\nf()\n',
        ),
        (
            "import fs from 'fs';\nf();\n",
            "crypto",
            "import fs from 'fs';\nimport crypto from 'crypto';\nf();\n",
        ),
        ("'use strict';\nf();\n", "crypto", "'use strict';\nvar crypto = require('crypto');\nf();\n"),
        ("// note\nconst a = 1;\n", "crypto", "// note\nconst crypto = require('crypto');\nconst a = 1;\n"),
        (
            "const { crypto } = window;\n",
            "nodeCrypto",
            "const nodeCrypto = require('crypto');\nconst { crypto } = window;\n",
        ),
        ("", "crypto", "var crypto = require('crypto');\n"),
    ],
)
def test_javascript(before: str, name: str, after: str) -> None:
    source = build_source(before, "module.js")
    found, edits = javascript_module(source, "crypto")
    assert (found, apply(before, edits)) == (name, after)


def test_overlapping_edits_are_refused() -> None:
    """Two edits of one place cannot both be meant; the same edit twice can."""
    assert apply("abc", [Edit(start=0, end=2, text="x"), Edit(start=1, end=3, text="y")]) is None
    assert apply("abc", [Edit(start=0, end=2, text="x"), Edit(start=0, end=2, text="x")]) == "xc"


def test_lines_after_the_last_line_begin_on_a_new_one() -> None:
    source = build_source("x = 1")
    edit = insert_lines_after(source, source.root.children()[0], ["y = 2"])
    assert apply(source.text, [edit]) == "x = 1\ny = 2"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("a.MJS", "javascript"),
        ("a.tsx", "tsx"),
        ("b/a.cts", "typescript"),
        ("a.rb", None),
    ],
)
def test_the_ending_says_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("text", "language", "whole"),
    [
        ("x = 1", "python", True),
        ("x = ", "python", False),
        ("x = '\\d'", "python", True),
        ("let x = <a/>", "javascript", True),
        ("let x = ", "javascript", False),
        ("let x: number = 1", "typescript", True),
        ("let x = <a/>", "tsx", True),
    ],
)
def test_parses(text: str, language: str, whole: bool) -> None:
    assert parses(text, language) is whole


@pytest.mark.parametrize(
    ("text", "unit"), [("if x:\n\ty = 1\n", "\t"), ("if x:\n  y = 1\n", "  "), ("x = 1\n", "    ")]
)
def test_the_unit_of_indentation_is_the_files(text: str, unit: str) -> None:
    assert build_source(text).unit == unit
