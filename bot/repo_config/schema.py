"""What is published of the repository configuration: its JSON Schema, and the table of keys in the guide.

``python -m bot.repo_config.schema`` writes both anew; a test holds them equal to the model.
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

from bot.repo_config.model import RepoConfig, Section

SCHEMA = Path("docs") / "suture.schema.json"
GUIDE = Path("docs") / "guide" / "configuration.md"
BEGIN, END = "<!-- keys -->\n", "<!-- end of keys -->"


def schema_text() -> str:
    """Return the schema as it stands in ``docs/suture.schema.json``."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RepoConfig.model_json_schema(),
        "title": "Suture's repository configuration, .github/suture.yml",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def with_keys(guide: str) -> str:
    """Return the guide with its table of keys as the model has them."""
    before, _, rest = guide.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{key_table()}{END}{after}"


def key_table() -> str:
    """Return every key with its default and what it is for."""
    rows = ["| key | default | what |", "|---|---|---|", *_rows(RepoConfig(), "")]
    return "\n".join(rows) + "\n"


def _rows(section: Section, prefix: str) -> list[str]:
    rows: list[str] = []
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, Section):
            rows += _rows(value, f"{name}.")
        else:
            rows.append(f"| `{prefix}{name}` | {_shown(value)} | {field.description} |")
    return rows


def _shown(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, tuple):
        return f"`[{', '.join(str(item) for item in value)}]`"
    return f"`{value.value if isinstance(value, Enum) else json.dumps(value)}`"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    GUIDE.write_text(with_keys(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
