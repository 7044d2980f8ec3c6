"""The operator's settings: where they come from, and what is said when they cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, ModelChoice
from agent.domain.conversation import ModelRole
from agent.workflow.budget import Budget
from bot.compose import model_desk
from bot.errors import SettingsError
from bot.settings import Settings, load_settings
from tests.fakes.workflow import RecordedTrajectory, SteppingClock

if TYPE_CHECKING:
    from pathlib import Path


def environ(folder: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(folder), "SUTURE_DATA_DIR": str(folder / "data"), **more}


def private(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_without_anything_the_data_lies_in_the_users_folder(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path)})
    assert settings.data_dir == tmp_path / ".local" / "share" / "suture"
    assert settings.sqlalchemy_url == f"sqlite:///{settings.data_dir / 'suture.db'}"
    assert settings.artifacts == settings.data_dir / "artifacts"


def test_the_environment_wins_over_a_secret_file_and_that_over_the_settings_file(tmp_path: Path) -> None:
    private(tmp_path / "data" / "suture.toml", 'webhook_secret = "file"\nport = 1\napp_id = 1\n')
    secret = private(tmp_path / "secret", "from-file\n")
    found = load_settings(environ(tmp_path, SUTURE_WEBHOOK_SECRET_FILE=str(secret), SUTURE_PORT="2"))
    assert (found.webhook_secret.get_secret_value(), found.port, found.app_id) == ("from-file", 2, 1)
    over = load_settings(
        environ(tmp_path, SUTURE_WEBHOOK_SECRET_FILE=str(secret), SUTURE_WEBHOOK_SECRET="environment")
    )
    assert over.webhook_secret.get_secret_value() == "environment"


def test_a_secret_named_in_the_settings_file_lies_beside_it(tmp_path: Path) -> None:
    private(tmp_path / "data" / "suture.toml", 'private_key_file = "app.pem"\n')
    private(tmp_path / "data" / "app.pem", "KEY\n")
    assert load_settings(environ(tmp_path)).private_key.get_secret_value() == "KEY"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_secret_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    secret = private(tmp_path / "secret", "x", mode)
    with pytest.raises(SettingsError, match="chmod 600"):
        load_settings(environ(tmp_path, SUTURE_PRIVATE_KEY_FILE=str(secret)))


def test_a_settings_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    private(tmp_path / "data" / "suture.toml", "port = 1\n", 0o644)
    with pytest.raises(SettingsError, match="chmod 600"):
        load_settings(environ(tmp_path))


def test_a_missing_secret_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SUTURE_PRIVATE_KEY_FILE: cannot read"):
        load_settings(environ(tmp_path, SUTURE_PRIVATE_KEY_FILE=str(tmp_path / "none")))


def test_a_bad_value_is_named_but_never_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environ(tmp_path, SUTURE_PORT="s3cr3t", SUTURE_CONCURRENT_RUNS="0"))
    text = str(caught.value)
    assert "port" in text
    assert "concurrent_runs" in text
    assert "s3cr3t" not in text


@pytest.mark.parametrize("text", ["port = [", "no_such_key = 1\n"])
def test_a_settings_file_that_cannot_be_used_says_so(tmp_path: Path, text: str) -> None:
    private(tmp_path / "data" / "suture.toml", text)
    with pytest.raises(SettingsError):
        load_settings(environ(tmp_path))


def test_a_settings_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        load_settings(environ(tmp_path, SUTURE_CONFIG=str(tmp_path / "none.toml")))


def test_secrets_do_not_show_in_a_representation(tmp_path: Path) -> None:
    settings = load_settings(environ(tmp_path, SUTURE_WEBHOOK_SECRET="hush", SUTURE_PRIVATE_KEY="hush"))
    assert "hush" not in repr(settings)


def test_both_secrets_count_while_one_is_replaced(tmp_path: Path) -> None:
    more = {"SUTURE_WEBHOOK_SECRET": "new", "SUTURE_WEBHOOK_SECRET_PREVIOUS": "old"}
    assert load_settings(environ(tmp_path, **more)).webhook_secrets == (b"new", b"old")
    assert load_settings(environ(tmp_path)).webhook_secrets == ()


@pytest.mark.parametrize("url", ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg://u@h/d"])
def test_postgresql_is_spoken_to_by_its_driver(tmp_path: Path, url: str) -> None:
    settings = load_settings(environ(tmp_path, SUTURE_DATABASE_URL=url))
    assert settings.sqlalchemy_url == "postgresql+psycopg://u@h/d"


def test_lists_may_be_written_with_commas(tmp_path: Path) -> None:
    assert load_settings(environ(tmp_path, SUTURE_TRUSTED_BOTS="1, 22,")).trusted_bots == (1, 22)


def test_the_settings_look_at_no_environment_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUTURE_PORT", "9")
    assert Settings(data_dir=tmp_path, cache_dir=tmp_path).port == 8080


def test_prices_of_models_are_json_in_the_environment(tmp_path: Path) -> None:
    given = {
        "SUTURE_DATA_DIR": str(tmp_path),
        "SUTURE_MODEL_PRICES": '{"m": {"tokens_in": 2, "tokens_out": 8}}',
    }
    assert load_settings(given).model_prices["m"].of(1_000_000, 0) == 2.0


@pytest.mark.parametrize("text", ["{", "[]", '{"m": {"input": 1}}', '{"m": 3}'])
def test_prices_that_cannot_be_read_are_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="model_prices"):
        load_settings({"SUTURE_DATA_DIR": str(tmp_path), "SUTURE_MODEL_PRICES": text})


@pytest.mark.parametrize(
    ("settings", "choice", "author", "reviewer"),
    [
        ({"model": "m"}, ModelChoice(), "m", "m"),
        ({"model": "m", "model_reviewer": "r"}, ModelChoice(), "m", "r"),
        ({"model": "m"}, ModelChoice(author="own", reviewer="other"), "own", "other"),
    ],
)
def test_a_run_may_name_its_own_models(
    tmp_path: Path, settings: dict[str, str], choice: ModelChoice, author: str, reviewer: str
) -> None:
    given = Settings(data_dir=tmp_path, cache_dir=tmp_path, **settings)  # type: ignore[arg-type]
    budget = Budget(limits=BudgetLimits(), clock=SteppingClock())
    desk = model_desk(given, choice, budget, RecordedTrajectory())
    assert desk is not None
    assert [desk.models[role][0].name for role in (ModelRole.AUTHOR, ModelRole.REVIEWER)] == [
        author,
        reviewer,
    ]


def test_without_a_model_there_is_no_desk(tmp_path: Path) -> None:
    given = Settings(data_dir=tmp_path, cache_dir=tmp_path)
    budget = Budget(limits=BudgetLimits(), clock=SteppingClock())
    assert model_desk(given, ModelChoice(), budget, RecordedTrajectory()) is None
