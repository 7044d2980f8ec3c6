"""The new App's credentials, and how they are kept: files that only their owner can read.

``suture.toml`` names the others, so that ``suture`` finds all of it by itself:
``private-key.pem``, ``webhook-secret``, and ``github-app.json`` with what the review pages' login needs.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.setup.errors import StorageError

SETTINGS = "suture.toml"
KEY = "private-key.pem"
SECRET = "webhook-secret"  # noqa: S105 (the name of a file)
APP = "github-app.json"

_KEYS = ("app_id", "app_slug", "github_url", "github_api_url", "private_key_file", "webhook_secret_file")
_OURS = re.compile(rf"^\s*(?:{'|'.join((*_KEYS, 'private_key', 'webhook_secret'))})\s*=")
_TABLE = re.compile(r"^\s*\[")


class AppCredentials(BaseModel):
    """What GitHub hands over for a new App; secrets are never part of its text."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    id: Annotated[int, Field(gt=0)]
    slug: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    name: str
    html_url: Annotated[str, Field(pattern=r"^https?://[^\s\"'<>]+$")]
    pem: Annotated[str, Field(repr=False, pattern=r"^-----BEGIN [A-Z ]*PRIVATE KEY-----")]
    webhook_secret: Annotated[str, Field(repr=False, min_length=1)]
    client_id: str = ""
    client_secret: Annotated[str, Field(repr=False)] = ""


def check_folder(folder: Path, *, replace: bool) -> None:
    """Raise ``StorageError`` when credentials could not be written to ``folder``, or would replace others."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        old = _settings(folder)
    except OSError as error:
        raise StorageError(f"Cannot write to {folder}: {error.strerror}.") from None
    if not replace and (taken := _taken(folder, old)):
        raise StorageError(f"There already is an App here ({taken}); give --replace to set up another one.")


def store(credentials: AppCredentials, folder: Path, *, web_url: str, api_url: str) -> tuple[Path, ...]:
    """Write the credentials, each file whole or not at all, and return the files; the settings come last."""
    app = credentials.model_dump(include={"id", "slug", "name", "html_url", "client_id", "client_secret"})
    values: dict[str, int | str] = {
        "app_id": credentials.id,
        "app_slug": credentials.slug,
        "github_url": web_url,
        "github_api_url": api_url,
        "private_key_file": KEY,
        "webhook_secret_file": SECRET,
    }
    texts = {
        KEY: credentials.pem.rstrip("\n") + "\n",
        SECRET: credentials.webhook_secret + "\n",
        APP: json.dumps(app, indent=2) + "\n",
        SETTINGS: merged_settings(_settings(folder), values),
    }
    try:
        for name, text in texts.items():
            _write(folder / name, text)
    except OSError as error:
        raise StorageError(f"Cannot write to {folder}: {error.strerror}.") from None
    return tuple(folder / name for name in texts)


def merged_settings(old: str, values: dict[str, int | str]) -> str:
    """Return the settings with ``values`` at the top; the operator's other lines and comments stay."""
    lines = old.splitlines()
    end = next((number for number, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    kept = [line for number, line in enumerate(lines) if number >= end or not _OURS.match(line)]
    ours = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join([*ours, *kept]) + "\n"


def _settings(folder: Path) -> str:
    path = folder / SETTINGS
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StorageError(f"{path} is not TOML ({error}); mend it first.") from None
    return text


def _taken(folder: Path, settings: str) -> str:
    """Return what is there already."""
    if any(_OURS.match(line) for line in settings.splitlines()):
        return SETTINGS
    return next((name for name in (KEY, SECRET, APP) if (folder / name).exists()), "")


def _write(path: Path, text: str) -> None:
    """Replace a file by one that only the owner can read; ``mkstemp`` makes it so from the first byte."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
