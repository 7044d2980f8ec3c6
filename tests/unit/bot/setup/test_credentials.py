"""Credentials are files of their owner alone, written whole, and never replace others by accident."""

from __future__ import annotations

import json
import stat
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from bot.setup.credentials import AppCredentials, check_folder, merged_settings, store
from bot.setup.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

PEM = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


def build_credentials(**changes: Any) -> AppCredentials:
    values = {
        "id": 42,
        "slug": "suture-octo",
        "name": "suture-octo",
        "html_url": "https://github.com/apps/suture-octo",
        "pem": PEM,
        "webhook_secret": "hook-secret",
        "client_id": "Iv1.1",
        "client_secret": "client-secret",
    }
    return AppCredentials.model_validate({**values, **changes})


def stored(folder: Path, **changes: Any) -> dict[str, Any]:
    store(
        build_credentials(**changes),
        folder,
        web_url="https://github.com",
        api_url="https://api.github.com",
    )
    return tomllib.loads((folder / "suture.toml").read_text(encoding="utf-8"))


def test_every_file_is_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "suture"
    check_folder(folder, replace=False)
    stored(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == dict.fromkeys(
        ("private-key.pem", "webhook-secret", "github-app.json", "suture.toml"), 0o600
    )


def test_the_settings_name_the_secrets_and_do_not_hold_them(tmp_path: Path) -> None:
    assert stored(tmp_path) == {
        "app_id": 42,
        "app_slug": "suture-octo",
        "github_url": "https://github.com",
        "github_api_url": "https://api.github.com",
        "private_key_file": "private-key.pem",
        "webhook_secret_file": "webhook-secret",
    }
    assert (tmp_path / "private-key.pem").read_text(encoding="utf-8") == PEM
    assert (tmp_path / "webhook-secret").read_text(encoding="utf-8") == "hook-secret\n"
    assert json.loads((tmp_path / "github-app.json").read_text(encoding="utf-8"))["client_id"] == "Iv1.1"


def test_the_operator_s_other_settings_stay(tmp_path: Path) -> None:
    (tmp_path / "suture.toml").write_text(
        "# mine\nport = 9000\napp_id = 1\n[table]\napp_id = 2\n", encoding="utf-8"
    )
    settings = stored(tmp_path)
    assert (settings["port"], settings["app_id"], settings["table"]) == (9000, 42, {"app_id": 2})
    assert "# mine" in (tmp_path / "suture.toml").read_text(encoding="utf-8")


def test_a_secret_given_in_the_settings_themselves_is_replaced_too() -> None:
    merged = merged_settings('webhook_secret = "old"\nprivate_key = "old"\n', {"app_id": 1})
    assert tomllib.loads(merged) == {"app_id": 1}


def test_another_app_is_not_replaced_by_accident(tmp_path: Path) -> None:
    stored(tmp_path)
    with pytest.raises(StorageError, match=r"already is an App here \(suture.toml\)"):
        check_folder(tmp_path, replace=False)
    check_folder(tmp_path, replace=True)
    (tmp_path / "suture.toml").unlink()
    with pytest.raises(StorageError, match=r"already is an App here \(private-key.pem\)"):
        check_folder(tmp_path, replace=False)


def test_a_folder_with_other_settings_is_welcome(tmp_path: Path) -> None:
    (tmp_path / "suture.toml").write_text("port = 9000\n", encoding="utf-8")
    check_folder(tmp_path, replace=False)


def test_settings_that_are_no_toml_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "suture.toml").write_text("port = \n", encoding="utf-8")
    with pytest.raises(StorageError, match="is not TOML"):
        check_folder(tmp_path, replace=True)


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="Cannot write to"):
        check_folder(tmp_path / "file" / "below", replace=False)


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    stored(tmp_path)
    (tmp_path / "webhook-secret").unlink()
    (tmp_path / "webhook-secret").mkdir()
    with pytest.raises(StorageError, match="Cannot write to"):
        stored(tmp_path, id=43)
    assert tomllib.loads((tmp_path / "suture.toml").read_text(encoding="utf-8"))["app_id"] == 42
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_secrets_are_no_part_of_a_text() -> None:
    text = f"{build_credentials()!r} {build_credentials()}"
    assert "hook-secret" not in text
    assert "client-secret" not in text
    assert "PRIVATE KEY" not in text


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 0},
        {"pem": "no key"},
        {"slug": "../x"},
        {"html_url": "javascript:alert(1)"},
        {"webhook_secret": ""},
    ],
)
def test_an_answer_that_is_no_app_is_refused_without_its_values(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        build_credentials(**changes)
    assert "hook-secret" not in str(caught.value)
    assert "abc" not in str(caught.value)
