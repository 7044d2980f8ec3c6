"""Services that Suture talks to: the model endpoint, the database, GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openai
from gidgethub import apps
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from bot.doctor.finding import Finding, Status

if TYPE_CHECKING:
    from bot.settings import Settings

_TIMEOUT_SECONDS = 10.0


def check_model(settings: Settings) -> Finding:
    """Ask the endpoint for its models; nothing is sent but the key."""
    key = settings.model_api_key.get_secret_value()
    if not key and not settings.model_base_url:
        return _finding(
            "model",
            Status.WARNING,
            "none configured: only rules can fix",
            "set OPENAI_BASE_URL and OPENAI_API_KEY",
        )
    client = openai.OpenAI(
        api_key=key or "none",
        base_url=settings.model_base_url or None,
        timeout=_TIMEOUT_SECONDS,
        max_retries=1,
    )
    try:
        names = [model.id for model in client.models.list()]
    except openai.AuthenticationError:
        return _finding("model", Status.FAILED, "the key is refused", "check OPENAI_API_KEY")
    except openai.APIConnectionError:
        return _finding("model", Status.FAILED, "the endpoint cannot be reached", "check OPENAI_BASE_URL")
    except openai.APIStatusError as error:
        return _finding(
            "model", Status.WARNING, f"the endpoint lists no models (status {error.status_code})", ""
        )
    finally:
        client.close()
    if settings.model and settings.model not in names:
        return _finding("model", Status.FAILED, f"{settings.model} is not offered", "set SUTURE_MODEL")
    return _finding("model", Status.OK, f"{len(names)} models offered")


def check_database(settings: Settings) -> Finding:
    """Open the database and run one statement."""
    url = settings.sqlalchemy_url
    if url.startswith("sqlite:///"):
        try:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return _finding(
                "database", Status.FAILED, f"no data folder: {error.strerror}", "set SUTURE_DATA_DIR"
            )
    connect = {} if url.startswith("sqlite") else {"connect_timeout": int(_TIMEOUT_SECONDS)}
    engine = create_engine(url, connect_args=connect)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        seen = f"cannot be opened: {type(error).__name__}"
        return _finding("database", Status.FAILED, seen, "check SUTURE_DATABASE_URL and SUTURE_DATA_DIR")
    finally:
        engine.dispose()
    return _finding("database", Status.OK, engine.dialect.name)


def check_github(settings: Settings) -> Finding:
    """See that the App's key can sign; the API is asked when the server starts."""
    key = settings.private_key.get_secret_value()
    if not settings.app_id or not key:
        return _finding(
            "github", Status.WARNING, "no App registered: only the command line works", "suture setup"
        )
    try:
        apps.get_jwt(app_id=str(settings.app_id), private_key=key)
    except Exception as error:  # noqa: BLE001 (whatever a malformed key makes the JWT library raise)
        return _finding(
            "github", Status.FAILED, f"the key cannot sign: {type(error).__name__}", "suture setup"
        )
    if not settings.webhook_secrets:
        return _finding("github", Status.FAILED, "no webhook secret", "set SUTURE_WEBHOOK_SECRET")
    return _finding("github", Status.OK, f"App {settings.app_id}, key can sign")


def _finding(check: str, status: Status, seen: str, advice: str = "") -> Finding:
    return Finding(check=check, status=status, seen=seen, advice=advice)
