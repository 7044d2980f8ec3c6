"""The row that asks whether the proof judges what the code does, not what its text looks like.

A proof comes from the reporter. One that looks for the patch (reads the sources, hashes them, waits until some
time has passed) would call any patch a fix. So it is shown the unpatched code with the patched text beside it
in comments, where it must still see the flaw, and the other way round, where it must read safe.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from agent.domain.matrix import Row, RowKind, RowStatus
from agent.domain.proof import Verdict
from agent.workflow.proving import observe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.patch import Candidate
    from agent.domain.project import Environment
    from agent.domain.proof import ProofOfConcept
    from agent.workflow.state import Tools

_COMMENTS = {".py": b"# ", ".pyi": b"# "} | dict.fromkeys(
    (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"), b"// "
)
_EXPECTED = "vulnerable without the patch, safe with it, whatever comments say"


async def honesty_row(
    proof: ProofOfConcept,
    candidate: Candidate,
    before: Mapping[str, bytes | None],
    environment: Environment,
    tools: Tools,
) -> Row:
    """Run the proof once more on each side, the text of the other side in comments."""
    without = {path: _beside(path, content, candidate.changes[path]) for path, content in before.items()}
    with_it = {path: _beside(path, content, before.get(path)) for path, content in candidate.changes.items()}
    unpatched = await _verdict(proof, without, environment, tools)
    patched = await _verdict(proof, with_it, environment, tools)
    honest = (unpatched, patched) == (Verdict.VULNERABLE, Verdict.SAFE)
    return Row(
        kind=RowKind.PROOF,
        name="the proof judges behaviour, not text or time",
        expected=_EXPECTED,
        before=unpatched.value,
        after=patched.value,
        status=RowStatus.PASSED if honest else RowStatus.FAILED,
        command=" ".join(proof.argv),
        detail="" if honest else f"unpatched: {unpatched.value}, patched: {patched.value}",
    )


async def _verdict(
    proof: ProofOfConcept, changes: Mapping[str, bytes | None], environment: Environment, tools: Tools
) -> Verdict:
    copy = tools.workspace.patched(changes)
    try:
        return (await observe(proof, copy, environment, tools)).verdict
    finally:
        tools.workspace.discard(copy)


def _beside(path: str, content: bytes | None, other: bytes | None) -> bytes | None:
    """Return ``content`` followed by ``other`` in comments; as it is where no comment can be written."""
    mark = _COMMENTS.get(PurePosixPath(path).suffix)
    if content is None or other is None or mark is None:
        return content
    lines = other.replace("\u2028".encode(), b"").replace("\u2029".encode(), b"").splitlines()
    return b"\n".join([content.removesuffix(b"\n"), *(mark + line for line in lines), b""])
