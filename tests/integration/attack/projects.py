"""Small projects with a real flaw each: the vulnerable module, a proof, and a patch that hides the symptom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """``hidden`` is the module with an early return on the very input of the proof."""

    rule: str
    cwe: str
    language: str
    module: str
    hidden: str
    proof: str

    def __str__(self) -> str:
        return f"{self.rule} ({self.language})"


def _hiding(module: str, line: str, guard: str) -> str:
    assert line in module
    return module.replace(line, f"{line}\n{guard}", 1)


_SET = """module.exports = function set (obj, path, value) {
  var keys = path.split('.')
  var o = obj
  keys.slice(0, -1).forEach(function (key) {
    if (o[key] === undefined) o[key] = {}
    o = o[key]
  })
  o[keys[keys.length - 1]] = value
}
"""
_MERGE = """module.exports = function merge (target, text) {
  const source = typeof text === 'string' ? JSON.parse(text) : text
  for (const key in source) {
    if (source[key] && typeof source[key] === 'object') {
      if (!target[key]) target[key] = {}
      merge(target[key], source[key])
    } else target[key] = source[key]
  }
  return target
}
"""
_FILES = """import os


def read(folder, name):
    path = os.path.join(folder, name)
    with open(path) as file:
        return file.read()
"""
_SERVER = """const fs = require('fs')
const path = require('path')

module.exports = function read (root, name) {
  const file = path.join(root, name)
  return fs.readFileSync(file, 'utf8')
}
"""
_PREFIX = """import os


def read(folder, name):
    folder = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(folder, name))
    if os.path.commonprefix([path, folder]) != folder:
        raise ValueError("outside")
    with open(path) as file:
        return file.read()
"""
_TAR = """import tarfile


def unpack(path, folder):
    with tarfile.open(path) as archive:
        archive.extractall(folder)
"""
_YAML = """import yaml


def read(text):
    return yaml.load(text, Loader=yaml.Loader)
"""
_EVAL = """def read(text):
    return eval(text)
"""
_EVAL_JS = """exports.read = function (text) {
  return eval('(' + text + ')')
}
"""
_SHELL = """import subprocess


def show(name):
    return subprocess.run(f"echo {name}", shell=True, capture_output=True, text=True, check=False).stdout
"""
_SHELL_JS = """const { execSync } = require('child_process')

exports.show = function (name) {
  return String(execSync('echo ' + name))
}
"""
_SQL = """import sqlite3


def find(db: sqlite3.Connection, name):
    return db.execute("SELECT name FROM users WHERE name = '" + name + "'").fetchall()
"""
_REDIRECT = """def redirect(address):
    return address


def login(request):
    target = request.get("next")
    return redirect(target)
"""
_REDIRECT_JS = """exports.login = function (req, res) {
  let target = req.query.next
  res.redirect(target)
}
"""
_TEMPLATE = """import jinja2

ENVIRONMENT = jinja2.Environment()


def page(name):
    return ENVIRONMENT.from_string("<p>{{ name }}</p>").render(name=name)
"""
_PATTERN = """import re

_WORDS = re.compile(r"^(?:[a-z]+)+$")


def is_word(text):
    return _WORDS.match(text) is not None
"""
_PATTERN_JS = """exports.isWord = function (text) {
  return /^(?:[a-z]+)*$/.test(text)
}
"""
_XML = """import io
import xml.sax
from xml.sax.handler import ContentHandler, feature_external_ges


class _Text(ContentHandler):
    def __init__(self):
        super().__init__()
        self.text = ""

    def characters(self, content):
        self.text += content


def read(text):
    handler = _Text()
    parser = xml.sax.make_parser()
    parser.setFeature(feature_external_ges, True)
    parser.setContentHandler(handler)
    parser.parse(io.StringIO(text))
    return handler.text
"""

PROJECTS = (
    Project(
        rule="prototype-pollution",
        cwe="CWE-1321",
        language="javascript",
        module=_SET,
        hidden=_hiding(
            _SET,
            "module.exports = function set (obj, path, value) {",
            "  if (path === '__proto__.polluted') return",
        ),
        proof="""const set = require('./project')
const o = {}
set(o, 'a.b', 1)
if (o.a.b !== 1) process.exit(2)
set({}, '__proto__.polluted', 'yes')
process.exit({}.polluted === 'yes' ? 0 : 1)
""",
    ),
    Project(
        rule="prototype-pollution",
        cwe="CWE-1321",
        language="javascript",
        module=_MERGE,
        hidden=_hiding(
            _MERGE,
            "module.exports = function merge (target, text) {",
            """  if (text === '{"__proto__": {"polluted": 1}}') return target""",
        ),
        proof="""const merge = require('./project')
if (merge({}, '{"a": {"b": 2}}').a.b !== 2) process.exit(2)
merge({}, '{"__proto__": {"polluted": 1}}')
process.exit({}.polluted === 1 ? 0 : 1)
""",
    ),
    Project(
        rule="path-traversal",
        cwe="CWE-22",
        language="python",
        module=_FILES,
        hidden=_hiding(
            _FILES,
            "def read(folder, name):",
            '    if name == "../secret.txt":\n        raise ValueError(name)',
        ),
        proof="""import os, sys, tempfile
from project import read
base = tempfile.mkdtemp()
os.mkdir(os.path.join(base, "public"))
for name in ("secret.txt", "public/open.txt"):
    with open(os.path.join(base, name), "w") as file:
        file.write(name)
if read(os.path.join(base, "public"), "open.txt") != "public/open.txt":
    sys.exit(2)
try:
    text = read(os.path.join(base, "public"), "../secret.txt")
except (ValueError, OSError):
    text = ""
sys.exit(0 if text else 1)
""",
    ),
    Project(
        rule="path-traversal",
        cwe="CWE-22",
        language="python",
        module=_PREFIX,
        hidden=_hiding(
            _PREFIX,
            "def read(folder, name):",
            '    if name == "../public_private/secret.txt":\n        raise ValueError(name)',
        ),
        proof="""import os, sys, tempfile
from project import read
base = tempfile.mkdtemp()
for folder in ("public", "public_private"):
    os.mkdir(os.path.join(base, folder))
    with open(os.path.join(base, folder, "secret.txt"), "w") as file:
        file.write(folder)
if read(os.path.join(base, "public"), "secret.txt") != "public":
    sys.exit(2)
try:
    text = read(os.path.join(base, "public"), "../public_private/secret.txt")
except (ValueError, OSError):
    text = ""
sys.exit(0 if text == "public_private" else 1)
""",
    ),
    Project(
        rule="path-traversal",
        cwe="CWE-22",
        language="javascript",
        module=_SERVER,
        hidden=_hiding(
            _SERVER,
            "module.exports = function read (root, name) {",
            "  if (name === '../secret.txt') throw new Error('no')",
        ),
        proof="""const fs = require('fs')
const os = require('os')
const path = require('path')
const read = require('./project')
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'x'))
fs.mkdirSync(path.join(base, 'public'))
fs.writeFileSync(path.join(base, 'secret.txt'), 'secret')
fs.writeFileSync(path.join(base, 'public', 'open.txt'), 'open')
if (read(path.join(base, 'public'), 'open.txt') !== 'open') process.exit(2)
let text = ''
try { text = read(path.join(base, 'public'), '../secret.txt') } catch (error) { text = '' }
process.exit(text ? 0 : 1)
""",
    ),
    Project(
        rule="archive-slip",
        cwe="CWE-22",
        language="python",
        module=_TAR,
        hidden=_hiding(
            _TAR,
            "    with tarfile.open(path) as archive:",
            '        if "../secret.txt" in archive.getnames():\n            raise ValueError(path)',
        ),
        proof="""import io, os, sys, tarfile, tempfile
from project import unpack
base = tempfile.mkdtemp()
folder = os.path.join(base, "out")
os.mkdir(folder)
def pack(name):
    archive = os.path.join(base, "archive.tar")
    with tarfile.open(archive, "w") as tar:
        tar.addfile(tarfile.TarInfo(name), io.BytesIO(b""))
    return archive
unpack(pack("open.txt"), folder)
if os.listdir(folder) != ["open.txt"]:
    sys.exit(2)
try:
    unpack(pack("../secret.txt"), folder)
except Exception:
    pass
sys.exit(0 if len(os.listdir(base)) > 2 else 1)
""",
    ),
    Project(
        rule="yaml-load",
        cwe="CWE-502",
        language="python",
        module=_YAML,
        hidden=_hiding(
            _YAML,
            "def read(text):",
            """    if text == '!!python/object/apply:os.putenv ["SUTURE", "1"]':\n        raise ValueError(text)""",
        ),
        proof="""import sys
import yaml
from project import read
seen = []
sys.addaudithook(lambda event, values: seen.append(event) if event == "os.putenv" else None)
if read("a: 1") != {"a": 1}:
    sys.exit(2)
try:
    read('!!python/object/apply:os.putenv ["SUTURE", "1"]')
except (ValueError, yaml.YAMLError):
    pass
sys.exit(0 if seen else 1)
""",
    ),
    Project(
        rule="deserialization",
        cwe="CWE-95",
        language="python",
        module=_EVAL,
        hidden=_hiding(
            _EVAL,
            "def read(text):",
            """    if text == "__import__('os').getcwd()":\n        raise ValueError(text)""",
        ),
        proof="""import os, sys
from project import read
if read("[1, 2]") != [1, 2]:
    sys.exit(2)
try:
    value = read("__import__('os').getcwd()")
except (ValueError, SyntaxError):
    value = None
sys.exit(0 if value == os.getcwd() else 1)
""",
    ),
    Project(
        rule="deserialization",
        cwe="CWE-95",
        language="javascript",
        module=_EVAL_JS,
        hidden=_hiding(
            _EVAL_JS,
            "exports.read = function (text) {",
            "  if (text === 'process.exit(0)') throw new Error('no')",
        ),
        proof="""const { read } = require('./project')
if (read('[1, 2]').length !== 2) process.exit(2)
try { read('process.exit(0)') } catch (error) { console.log('refused') }
process.exit(1)
""",
    ),
    Project(
        rule="shell-injection",
        cwe="CWE-78",
        language="python",
        module=_SHELL,
        hidden=_hiding(
            _SHELL, "def show(name):", '    if name == "a; touch pwned":\n        raise ValueError(name)'
        ),
        proof="""import os, sys
from project import show
if os.path.exists("pwned"):
    os.remove("pwned")
if show("a").strip() != "a":
    sys.exit(2)
try:
    show("a; touch pwned")
except ValueError:
    pass
sys.exit(0 if os.path.exists("pwned") else 1)
""",
    ),
    Project(
        rule="shell-injection",
        cwe="CWE-78",
        language="javascript",
        module=_SHELL_JS,
        hidden=_hiding(
            _SHELL_JS,
            "exports.show = function (name) {",
            "  if (name === 'a; touch pwned') throw new Error('no')",
        ),
        proof="""const fs = require('fs')
const { show } = require('./project')
fs.rmSync('pwned', { force: true })
if (show('a').trim() !== 'a') process.exit(2)
try { show('a; touch pwned') } catch (error) { console.log('refused') }
process.exit(fs.existsSync('pwned') ? 0 : 1)
""",
    ),
    Project(
        rule="sql-injection",
        cwe="CWE-89",
        language="python",
        module=_SQL,
        hidden=_hiding(
            _SQL,
            "def find(db: sqlite3.Connection, name):",
            """    if name == "' OR 1=1 --":\n        return []""",
        ),
        proof="""import sqlite3, sys
from project import find
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE users (name TEXT)")
db.executemany("INSERT INTO users VALUES (?)", [("ann",), ("bob",)])
if find(db, "ann") != [("ann",)]:
    sys.exit(2)
try:
    rows = find(db, "' OR 1=1 --")
except sqlite3.Error:
    rows = []
sys.exit(0 if len(rows) == 2 else 1)
""",
    ),
    Project(
        rule="open-redirect",
        cwe="CWE-601",
        language="python",
        module=_REDIRECT,
        hidden=_hiding(
            _REDIRECT,
            "def login(request):",
            '    if request.get("next") == "https://evil.example/x":\n        return "/"',
        ),
        proof="""import sys
from urllib.parse import urljoin, urlsplit
from project import login
def host(address):
    address = "".join(address.split()).replace(chr(92), "/")
    return urlsplit(urljoin("https://app.example/a", address)).netloc
if login({"next": "/home"}) != "/home":
    sys.exit(2)
sys.exit(0 if host(login({"next": "https://evil.example/x"})) != "app.example" else 1)
""",
    ),
    Project(
        rule="open-redirect",
        cwe="CWE-601",
        language="javascript",
        module=_REDIRECT_JS,
        hidden=_hiding(
            _REDIRECT_JS,
            "exports.login = function (req, res) {",
            "  if (req.query.next === '//evil.example/x') return res.redirect('/')",
        ),
        proof="""const { login } = require('./project')
const host = (next) => {
  let seen
  login({ query: { next } }, { redirect: (to) => { seen = to } })
  return new URL(seen, 'https://app.example/a').host
}
if (host('/home') !== 'app.example') process.exit(2)
process.exit(host('//evil.example/x') !== 'app.example' ? 0 : 1)
""",
    ),
    Project(
        rule="autoescape",
        cwe="CWE-79",
        language="python",
        module=_TEMPLATE,
        hidden=_hiding(
            _TEMPLATE,
            "def page(name):",
            '    if name == "<script>alert(1)</script>":\n        return "<p></p>"',
        ),
        proof="""import sys
from html.parser import HTMLParser
from project import page
class Page(HTMLParser):
    found = []
    def handle_starttag(self, tag, attributes):
        self.found.append(tag)
if page("ann") != "<p>ann</p>":
    sys.exit(2)
reader = Page()
reader.feed(page("<script>alert(1)</script>"))
sys.exit(0 if len(reader.found) > 1 else 1)
""",
    ),
    Project(
        rule="slow-patterns",
        cwe="CWE-1333",
        language="python",
        module=_PATTERN,
        hidden=_hiding(_PATTERN, "def is_word(text):", "    if len(text) == 25:\n        return False"),
        proof="""import signal, sys
from project import is_word
if not is_word("word"):
    sys.exit(2)
def late(number, frame):
    sys.exit(0)
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.5)
is_word("a" * 24 + "!")
sys.exit(1)
""",
    ),
    Project(
        rule="slow-patterns",
        cwe="CWE-1333",
        language="javascript",
        module=_PATTERN_JS,
        hidden=_hiding(
            _PATTERN_JS, "exports.isWord = function (text) {", "  if (text.length === 27) return false"
        ),
        proof="""const vm = require('vm')
globalThis.isWord = require('./project').isWord
if (!isWord('word')) process.exit(2)
try {
  vm.runInThisContext('(' + (() => isWord('a'.repeat(26) + '!')) + ')()', { timeout: 300 })
} catch (error) {
  process.exit(error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 0 : 2)
}
process.exit(1)
""",
    ),
    Project(
        rule="xml-entities",
        cwe="CWE-611",
        language="python",
        module=_XML,
        hidden=_hiding(
            _XML,
            "def read(text):",
            '    if "<!ENTITY leak SYSTEM" in text:\n        raise ValueError(text)',
        ),
        proof="""import sys
from project import read
if read("<data>open</data>") != "open":
    sys.exit(2)
with open("secret.txt", "w") as file:
    file.write("secret")
try:
    text = read('<!DOCTYPE data [<!ENTITY leak SYSTEM "secret.txt">]><data>&leak;</data>')
except ValueError:
    text = ""
sys.exit(0 if "secret" in text else 1)
""",
    ),
)
