"""The operator's settings: read once, from ``SUTURE_*`` variables, ``*_FILE`` secrets and one TOML file.

Order of belief: environment, then ``SUTURE_NAME_FILE`` for secrets, then the file named by ``SUTURE_CONFIG``
(default ``suture.toml`` in the data folder), then the default.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from agent.llm.config import Price
from agent.sandbox.config import REGISTRY_VARIABLES
from bot.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "SUTURE_"
SECRETS = (
    "webhook_secret",
    "webhook_secret_previous",
    "private_key",
    "database_url",
    "model_api_key",
    "embedder_api_key",
)
STANDARD = {"OPENAI_BASE_URL": "model_base_url", "OPENAI_API_KEY": "model_api_key"}
"""Variables without our prefix that every tool of this kind understands; ours win over them."""


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Return the data folder: ``$XDG_DATA_HOME/suture`` or ``~/.local/share/suture``."""
    base = environ.get("XDG_DATA_HOME") or str(Path(environ.get("HOME", ".")) / ".local" / "share")
    return Path(base) / "suture"


def default_cache_dir(environ: Mapping[str, str]) -> Path:
    """Return the cache folder: beside the data if that was chosen, else one that fits the user.

    As root the sandbox runs as another user who cannot enter root's home, so the system's cache folder is used.
    """
    if environ.get(f"{PREFIX}DATA_DIR"):
        return Path(environ[f"{PREFIX}DATA_DIR"]) / "cache"
    if os.geteuid() == 0:
        return Path("/var/cache/suture")
    base = environ.get("XDG_CACHE_HOME") or str(Path(environ.get("HOME", ".")) / ".cache")
    return Path(base) / "suture"


class Settings(BaseSettings):
    """All that the operator decides. Times in seconds unless the name says otherwise."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", case_sensitive=False)

    data_dir: Path
    database_url: SecretStr = SecretStr("")
    artifact_dir: Path | None = None

    app_id: int = 0
    app_slug: str = ""
    private_key: SecretStr = SecretStr("")
    webhook_secret: SecretStr = SecretStr("")
    webhook_secret_previous: SecretStr = SecretStr("")
    github_url: str = "https://github.com"
    github_api_url: str = ""

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    max_body_bytes: int = Field(default=25_000_000, gt=0)

    enabled: bool = True
    trusted_bots: Annotated[tuple[int, ...], NoDecode] = ()
    concurrent_runs: int = Field(default=1, ge=1, le=64)
    concurrent_deliveries: int = Field(default=4, ge=1, le=64)
    runs_per_hour: int = Field(default=20, ge=1)
    run_minutes: int = Field(default=120, ge=1)
    slot: str = ""
    lease_seconds: float = Field(default=30.0, gt=0)
    redelivery_minutes: float = Field(default=10.0, gt=0)
    payload_days: int = Field(default=14, ge=1)
    run_days: int = Field(default=180, ge=1)

    sandbox: Literal["auto", "bubblewrap", "container", "unsafe"] = "auto"
    cache_dir: Path
    """Environments, package caches, indexes; safe to delete at any time."""
    passed_on: dict[str, str] = Field(default_factory=dict, repr=False)
    """What an install in the sandbox may learn of the environment: where packages come from."""

    model: str = ""
    model_reviewer: str = ""
    """Who reviews patches; empty for ``model``."""
    model_seconds: float = Field(default=600.0, gt=0)
    model_prices: Annotated[dict[str, Price], NoDecode] = Field(default_factory=dict)
    """US dollars for a million tokens by model: ``tokens_in``, ``tokens_out``, ``cached``."""
    model_base_url: str = ""
    model_api_key: SecretStr = SecretStr("")

    embedder: Literal["svd", "endpoint", "fastembed", "sentence-transformers"] = "svd"
    """What past issues are compared by; the default is fitted on the repository's own and needs no weights."""
    embedder_model: str = ""
    embedder_url: str = ""
    embedder_api_key: SecretStr = SecretStr("")

    log_level: str = "info"
    log_format: str = Field(default="json", pattern="^(json|console)$")

    @field_validator("trusted_bots", mode="before")
    @classmethod
    def _ids(cls, value: object) -> object:
        """Accept ``1,2`` as well as a list."""
        return tuple(part for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("model_prices", mode="before")
    @classmethod
    def _prices(cls, value: object) -> object:
        """Accept JSON, as an environment variable holds it, as well as a table."""
        return json.loads(value) if isinstance(value, str) else value

    @property
    def sqlalchemy_url(self) -> str:
        """Return the database URL with its driver; a SQLite file in the data folder when none is set."""
        url = self.database_url.get_secret_value()
        if not url:
            return f"sqlite:///{self.data_dir.absolute() / 'suture.db'}"
        for prefix in ("postgres://", "postgresql://"):
            if url.startswith(prefix):
                return "postgresql+psycopg://" + url.removeprefix(prefix)
        return url

    @property
    def artifacts(self) -> Path:
        """Return the folder of content-addressed files."""
        return self.artifact_dir or self.data_dir / "artifacts"

    @property
    def webhook_secrets(self) -> tuple[bytes, ...]:
        """Return the secrets a signature may be made with; two while one is being replaced."""
        both = (self.webhook_secret, self.webhook_secret_previous)
        return tuple(secret.get_secret_value().encode() for secret in both if secret.get_secret_value())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values from ``load_settings`` only; it alone looks at the environment."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


class _Problem(BaseModel):
    """One line of a validation error, without the value that caused it."""

    model_config = ConfigDict(extra="ignore")

    loc: tuple[str | int, ...]
    msg: str


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings; ``SettingsError`` names each bad key and never shows a value."""
    environ = os.environ if environ is None else environ
    data_dir = Path(environ.get(f"{PREFIX}DATA_DIR") or default_data_dir(environ))
    values: dict[str, Any] = {"data_dir": data_dir, "cache_dir": default_cache_dir(environ)}
    values["passed_on"] = {name: environ[name] for name in REGISTRY_VARIABLES if name in environ}
    values |= _from_file(environ, data_dir) | _from_secret_files(environ) | _from_environment(environ)
    try:
        return Settings(**values)
    except ValidationError as error:
        problems = [_Problem.model_validate(item) for item in error.errors(include_input=False)]
        lines = "; ".join(f"{'.'.join(map(str, p.loc))}: {p.msg}" for p in problems)
        raise SettingsError(f"cannot use these settings: {lines}") from None


def read_private(path: Path, what: str) -> str:
    """Return a secret file's text; refuse one that others can read."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{what}: cannot read {path}: {type(error).__name__}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"{what}: {path} can be read by others; run: chmod 600 {path}")
    return text


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {f"{PREFIX}{name}".upper(): name for name in Settings.model_fields}
    standard = {STANDARD[key]: value for key, value in environ.items() if key in STANDARD}
    return standard | {names[key]: value for key, value in environ.items() if key in names}


def _from_secret_files(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return secrets from the files named by ``SUTURE_NAME_FILE``."""
    found = {}
    for name in SECRETS:
        variable = f"{PREFIX}{name.upper()}_FILE"
        if path := environ.get(variable):
            found[name] = read_private(Path(path), variable)
    return found


def _from_file(environ: Mapping[str, str], data_dir: Path) -> dict[str, Any]:
    """Return the TOML file's values; ``NAME_file`` of a secret is read relative to the file."""
    named = environ.get(f"{PREFIX}CONFIG")
    path = Path(named) if named else data_dir / "suture.toml"
    if not named and not path.exists():
        return {}
    try:
        values = tomllib.loads(read_private(path, "settings file"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"settings file {path}: {error}") from None
    for name in SECRETS:
        if secret := values.pop(f"{name}_file", None):
            values[name] = read_private(path.parent / str(secret), f"{name}_file")
    return values
