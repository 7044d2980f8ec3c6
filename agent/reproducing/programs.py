"""A model's reply as a proof of concept. Pure."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from agent.domain.patch import SourceFile
from agent.domain.proof import ProofOfConcept
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent.domain.place import Place
    from agent.reproducing.replies import ProofReply

ORIGIN: Final = "model"
_MODULE: Final = re.compile(r"^\s*(?:import\s[^(]|import\s*['\"{*]|export\s)|^[^/\n]*\bawait\s", re.MULTILINE)
_REQUIRE: Final = re.compile(r"\brequire\s*\(")
_ENDINGS: Final = {
    "python": (".py",),
    "javascript": (".js", ".cjs", ".mjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
}


def path_of(language: str, code: str) -> str:
    """Return where a program is written inside of the sandbox; a module of ES by its own ending."""
    if language == "python":
        return "/tmp/suture_proof.py"  # noqa: S108 - inside the sandbox, where /tmp is private
    module = _MODULE.search(code) is not None and not _REQUIRE.search(code)
    return f"/tmp/suture_proof.{'mjs' if module else 'cjs'}"  # noqa: S108


def proof_of(
    reply: ProofReply, language: str, sinks: Sequence[Place], test: SourceFile | None
) -> ProofOfConcept:
    """Return the reply's program; ``argv`` is a placeholder that the toolchain replaces."""
    path = path_of(language, reply.code)
    return ProofOfConcept(
        language=language,
        path=path,
        code=reply.code,
        argv=(path,),
        origin=ORIGIN,
        sinks=tuple(sinks),
        oracle=" ".join(f"{reply.oracle} {reply.expected}".split()),
        test=test,
    )


def new_test_of(reply: ProofReply, language: str, read: Callable[[str], bytes | None]) -> SourceFile | None:
    """Return the reply's test, None unless it is a new file at a place where tests are kept."""
    path = PurePosixPath(reply.test_path.strip().removeprefix("./").removeprefix("/work/"))
    text = str(path)
    if not reply.test_path.strip() or not reply.test_code.strip() or path.is_absolute():
        return None
    if any(part.startswith(".") for part in path.parts) or not text.endswith(_ENDINGS.get(language, ())):
        return None
    if kind_of(text) is not FileKind.TEST or read(text) is not None:
        return None
    return SourceFile(path=text, content=f"{reply.test_code.rstrip()}\n".encode())
