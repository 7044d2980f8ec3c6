"""The JSON Schema of the repository configuration, for editors: ``python -m bot.repo_config.schema``."""

from __future__ import annotations

import json
from pathlib import Path

from bot.repo_config.model import RepoConfig

SCHEMA = Path("docs") / "suture.schema.json"


def schema_text() -> str:
    """Return the schema as it stands in ``docs/suture.schema.json``."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RepoConfig.model_json_schema(),
        "title": "Suture's repository configuration, .github/suture.yml",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
