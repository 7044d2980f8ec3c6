"""``make testbed``: a GitHub to play with, until Ctrl-C.

It prints what a Suture needs to be its App. Webhooks go to ``--target`` (default: ``suture serve`` here).
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tests.testbed.testbed import Testbed
from tests.testbed.world import APP_ID, PEOPLE, WEBHOOK_SECRET, private_key, token

FOLDER = Path(__file__).resolve().parents[2] / ".testbed"
DEFAULT_TARGET = "http://127.0.0.1:8080/webhook"
WELCOME = """\
GitHub answers at     {url}        (GitHub Enterprise Server form: {url}/api/v3)
webhooks go to        {target}
a repository          {repository}

Start Suture with:
  export SUTURE_GITHUB_URL={url} SUTURE_GITHUB_API_URL={url} SUTURE_APP_ID={app_id} \\
         SUTURE_PRIVATE_KEY_FILE={key} SUTURE_WEBHOOK_SECRET='{secret}'
  suture serve

Act as a person ({people}):
  curl -H 'Authorization: Bearer {token}' {url}/repos/{repository}/issues \\
       -d '{{"title": "Path traversal", "body": "...", "labels": ["security"]}}'

Ctrl-C ends it."""


def main() -> int:
    """Run the testbed until it is interrupted; return 1 when a request broke GitHub's description."""
    options = argparse.ArgumentParser(prog="python -m tests.testbed")
    options.add_argument("--port", type=int, default=4020)
    options.add_argument("--target", default=DEFAULT_TARGET)
    chosen = options.parse_args()
    FOLDER.mkdir(exist_ok=True)
    key = FOLDER / "app.pem"
    key.touch(mode=0o600)
    key.write_text(private_key())
    with Testbed(folder=FOLDER, port=chosen.port) as bed:
        bed.hooks.target = chosen.target
        repository = bed.repository({"README.md": b"# demo\n"}, name="demo")
        words = {
            "url": bed.url,
            "target": chosen.target,
            "repository": repository.full_name,
            "app_id": APP_ID,
            "key": key,
            "secret": WEBHOOK_SECRET,
            "people": ", ".join(PEOPLE),
            "token": token("maintainer"),
        }
        sys.stdout.write(WELCOME.format(**words) + "\n")
        sys.stdout.flush()
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
        for violation in bed.front.violations:
            sys.stdout.write(f"{violation.method} {violation.path}: {violation.problem}\n")
        return 1 if bed.front.violations else 0


if __name__ == "__main__":
    sys.exit(main())
