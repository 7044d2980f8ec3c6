"""Small vulnerable projects, written for the tests, and reports of their flaws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

JAVASCRIPT = {
    "package.json": '{"name": "settle", "version": "1.0.0", "main": "index.js", "scripts": {"test": "node --test"}}\n',
    "index.js": """'use strict';

function set(target, path, value) {
  const keys = path.split('.');
  let current = target;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (current[key] === undefined) current[key] = {};
    current = current[key];
  }
  current[keys[keys.length - 1]] = value;
  return target;
}

module.exports = { set };
""",
    "test/set.test.js": """'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { set } = require('..');

test('sets a nested value', () => { assert.deepStrictEqual(set({}, 'a.b', 1), { a: { b: 1 } }); });
test('keeps what is there', () => { assert.deepStrictEqual(set({ a: { c: 2 } }, 'a.b', 1), { a: { c: 2, b: 1 } }); });
""",
}

JAVASCRIPT_REPORT = """---
id: SETTLE-1
cwe: CWE-1321
severity: high
fixed: 1.0.1
---
# Prototype pollution in `set`

A path that leads through `__proto__` writes to `Object.prototype`.

```js
const { set } = require('settle');
if (set({}, 'a.b', 5).a.b !== 5) process.exit(2);
try { set({}, '__proto__.polluted', 'yes'); } catch (e) { console.log('refused'); }
console.log('polluted:', ({}).polluted);
process.exit(({}).polluted === 'yes' ? 0 : 1);
```
"""

PYTHON = {
    "pyproject.toml": '[project]\nname = "shelf"\nversion = "1.0"\n[build-system]\nrequires = ["setuptools"]\n'
    'build-backend = "setuptools.build_meta"\n[tool.setuptools]\npackages = ["shelf"]\n',
    "shelf/__init__.py": '''"""Keeps documents below one folder."""

import os


def read(folder, name):
    """Return the text of a document."""
    path = os.path.join(folder, name)
    with open(path) as document:
        return document.read()
''',
    "tests/test_shelf.py": """import unittest, tempfile, os
import shelf


class ReadTest(unittest.TestCase):
    def test_reads_a_document(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.txt"), "w") as document:
                document.write("text")
            self.assertEqual(shelf.read(folder, "a.txt"), "text")
""",
}

PYTHON_REPORT = """---
id: SHELF-1
cwe: CWE-22
---
# Path traversal in `shelf.read`

`read` follows `..` out of its folder.

```python
import os, sys, tempfile, shelf
base = tempfile.mkdtemp()
os.mkdir(os.path.join(base, "docs"))
for name in ("secret.txt", "docs/a.txt"):
    with open(os.path.join(base, name), "w") as f: f.write(name)
if shelf.read(os.path.join(base, "docs"), "a.txt") != "docs/a.txt": sys.exit(2)
try:
    print(shelf.read(os.path.join(base, "docs"), "../secret.txt"))
except Exception as error:
    print("refused", type(error).__name__); sys.exit(1)
sys.exit(0)
```
"""


def write_project(root: Path, files: dict[str, str], *, newline: str = "\n") -> Path:
    """Write a project below ``root`` and return its folder."""
    for name, text in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.replace("\n", newline).encode())
    return root
