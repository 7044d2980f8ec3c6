"""The npm packages of the testbed, installed once beside this file."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
EMULATE = MODULES / "emulate" / "dist" / "index.js"
OPENAPI = MODULES / "@octokit" / "openapi" / "generated" / "api.github.com.json"
GRAPHQL = MODULES / "@octokit" / "graphql-schema" / "schema.graphql"


def install() -> None:
    """Install what the lock file names, unless it is there."""
    if all(path.exists() for path in (EMULATE, OPENAPI, GRAPHQL)):
        return
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=HERE, check=True, timeout=300
    )
