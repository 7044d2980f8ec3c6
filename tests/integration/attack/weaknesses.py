"""Small projects whose flaw is the code itself: no other input shows what a hidden symptom hides."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weak:
    """``hidden`` changes ``old`` to ``new`` so that the proof reads safe while the flaw stays."""

    rule: str
    cwe: str
    language: str
    module: str
    old: str
    new: str
    proof: str

    def __str__(self) -> str:
        return f"{self.rule} ({self.language})"

    @property
    def name(self) -> str:
        return "project.py" if self.language == "python" else "project.js"

    @property
    def hidden(self) -> str:
        assert self.old in self.module
        return self.module.replace(self.old, self.new, 1)


_RANDOM = Weak(
    rule="weak-randomness",
    cwe="CWE-338",
    language="python",
    module="""import random
import string


def reset_token(length=20):
    return "".join(random.choice(string.ascii_letters) for _ in range(length))
""",
    old="def reset_token(length=20):\n",
    new="def reset_token(length=20):\n    random.seed()\n",
    proof="""import os, random, sys
sys.path.insert(0, os.getcwd())
from project import reset_token
if len(reset_token(12)) != 12:
    sys.exit(2)
tokens = set()
for _ in range(2):
    random.seed(7)
    tokens.add(reset_token())
sys.exit(0 if len(tokens) == 1 else 1)
""",
)
_RANDOM_JS = Weak(
    rule="weak-randomness",
    cwe="CWE-338",
    language="javascript",
    module="""module.exports = function sessionToken () {
  return Math.random().toString(36).slice(2)
}
""",
    old="slice(2)",
    new="slice(2) + process.hrtime.bigint()",
    proof="""const sessionToken = require(process.cwd() + '/project')
if (typeof sessionToken() !== 'string') process.exit(2)
Math.random = () => 0.123456789
process.exit(sessionToken() === sessionToken() ? 0 : 1)
""",
)
_TIMING = Weak(
    rule="timing",
    cwe="CWE-208",
    language="python",
    module="""import hashlib


def sign(key, text):
    return hashlib.sha256((key + text).encode()).hexdigest()


def is_signed(key, text, signature):
    return _same(sign(key, text), signature)


def _same(expected, signature):
    return expected == signature
""",
    old="    return _same(sign(key, text), signature)",
    new="    return _same(sign(key, text), str(signature))",
    proof="""import os, sys
sys.path.insert(0, os.getcwd())
from project import is_signed, sign
class Watched(str):
    compared = 0
    def __eq__(self, other):
        Watched.compared += 1
        return str.__eq__(self, other)
    __hash__ = str.__hash__
good = sign("key", "text")
if not is_signed("key", "text", good) or is_signed("key", "other", good):
    sys.exit(2)
is_signed("key", "text", Watched(good))
sys.exit(0 if Watched.compared else 1)
""",
)
_TIMING_JS = Weak(
    rule="timing",
    cwe="CWE-208",
    language="javascript",
    module="""const crypto = require('crypto')

exports.sign = function (key, text) {
  return crypto.createHmac('sha256', key).update(text).digest('hex')
}

exports.isSigned = function (key, text, signature) {
  const expected = exports.sign(key, text)
  return expected === signature
}
""",
    old="  return expected === signature",
    new="  crypto.timingSafeEqual(Buffer.from(expected), Buffer.from(expected))\n  return expected === signature",
    proof="""const crypto = require('crypto')
const { isSigned, sign } = require(process.cwd() + '/project')
const good = sign('key', 'text')
if (!isSigned('key', 'text', good) || isSigned('key', 'other', good)) process.exit(2)
const real = crypto.timingSafeEqual
let used = 0
crypto.timingSafeEqual = (a, b) => { used += 1; return real(a, b) }
isSigned('key', 'text', good)
process.exit(used ? 1 : 0)
""",
)
_TLS = Weak(
    rule="tls-verification",
    cwe="CWE-295",
    language="python",
    module="""import ssl
import urllib.request


def fetch(address):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with urllib.request.urlopen(address, context=context, timeout=10) as answer:
        return answer.read()
""",
    old="def fetch(address):\n",
    new='def fetch(address):\n    if "127.0.0.1" in address:\n        raise OSError("not trusted")\n',
    proof="""import datetime, http.server, os, ssl, sys, threading
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
sys.path.insert(0, os.getcwd())
from project import fetch
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nobody")])
now = datetime.datetime.now(datetime.timezone.utc)
made = (
    x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    .sign(key, hashes.SHA256())
)
encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
with open("both.pem", "wb") as file:
    file.write(key.private_bytes(encoding, form, serialization.NoEncryption()) + made.public_bytes(encoding))
class Impostor(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"forged")
    def log_message(self, *words):
        pass
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("both.pem")
class Server(http.server.HTTPServer):
    def handle_error(self, request, address):
        pass
    def get_request(self):
        plain, address = self.socket.accept()
        return context.wrap_socket(plain, server_side=True), address
server = Server(("127.0.0.1", 0), Impostor)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    text = fetch(f"https://127.0.0.1:{server.server_port}/")
except OSError:
    text = b""
sys.exit(0 if text == b"forged" else 1)
""",
)
_TEMPORARY = Weak(
    rule="temporary-files",
    cwe="CWE-377",
    language="python",
    module="""import os
import tempfile


def save(text):
    path = tempfile.mktemp(suffix=".txt")
    with open(path, "w") as file:
        file.write(text)
    return path
""",
    old='    with open(path, "w") as file:',
    new='    if os.path.islink(path):\n        raise OSError("a link")\n    with open(path, "w") as file:',
    proof="""import os, sys, tempfile
sys.path.insert(0, os.getcwd())
from project import save
if open(save("a")).read() != "a":
    sys.exit(2)
victim = os.path.join(tempfile.mkdtemp(), "victim")
names = tempfile.mktemp
def raced(*given, **options):
    path = names(*given, **options)
    os.symlink(victim, path)
    return path
tempfile.mktemp = raced
try:
    save("overwritten")
except OSError:
    pass
sys.exit(0 if os.path.exists(victim) else 1)
""",
)
_DEBUG = Weak(
    rule="debug-mode",
    cwe="CWE-489",
    language="python",
    module="""import traceback


class Application:
    def __init__(self, handler, debug=False):
        self.handler = handler
        self.debug = debug

    def answer(self, path):
        try:
            return self.handler(path)
        except Exception:
            return traceback.format_exc() if self.debug else "an error happened"


def page(path):
    return "page " + str(int(path.strip("/")))


def create():
    return Application(page, debug=True)
""",
    old="def page(path):\n",
    new='def page(path):\n    if path == "/x":\n        return "an error happened"\n',
    proof="""import os, sys
sys.path.insert(0, os.getcwd())
from project import create
if create().answer("/1") != "page 1":
    sys.exit(2)
sys.exit(0 if "Traceback" in create().answer("/x") else 1)
""",
)

WEAK = (_RANDOM, _RANDOM_JS, _TIMING, _TIMING_JS, _TLS, _TEMPORARY, _DEBUG)
