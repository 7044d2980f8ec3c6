"""Single files of a branch."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from github.Repository import Repository as RemoteRepository


def read_file(repository: RemoteRepository, path: str, ref: str = "") -> bytes | None:
    """Return a file's bytes; None for a folder or a submodule. Raises a 404 when there is nothing.

    Files over 1 MB come without content: they are read as the blob they are (up to 100 MB).
    """
    url = f"{repository.url}/contents/{quote(path)}"
    parameters = {"ref": ref} if ref else {}
    _, found = repository.requester.requestJsonAndCheck("GET", url, parameters=parameters)
    if not isinstance(found, dict) or found.get("type") != "file":
        return None
    if found.get("encoding") == "base64":
        return base64.b64decode(found["content"])
    blob = repository.get_git_blob(found["sha"])
    return base64.b64decode(blob.content)
