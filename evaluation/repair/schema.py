"""The published JSON Schema of ``case.yaml``: ``python -m evaluation.repair.schema > docs/case.schema.json``."""

from __future__ import annotations

import json
import sys

from evaluation.repair.case_file import CaseFile


def case_schema() -> str:
    """Return the schema as it is published."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **CaseFile.model_json_schema()}
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(case_schema())
