"""An environment class for mini-swe-agent: its commands run in Suture's sandbox, over a local socket.

Found by ``environment.environment_class=suture_mini.SandboxEnvironment``; ``environment.socket`` is where the shell is
reached. A request and an answer are one line of JSON each.
"""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass, field
from typing import Any

DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@dataclass
class Config:
    """What mini-swe-agent may set."""

    socket: str = ""
    cwd: str = "/work"
    timeout: int = 120
    env: dict[str, str] = field(default_factory=dict)


class SandboxEnvironment:
    """Sends each command to the socket."""

    def __init__(self, **settings: Any) -> None:
        """Keep the settings that are known."""
        known = {name: value for name, value in settings.items() if name in Config.__dataclass_fields__}
        self.config = Config(**known)

    def execute(self, action: dict[str, Any], cwd: str = "", *, timeout: int | None = None) -> dict[str, Any]:
        """Run one command and return what mini-swe-agent expects."""
        request = {
            "command": action.get("command", ""),
            "cwd": cwd or self.config.cwd,
            "env": self.config.env,
            "seconds": timeout or self.config.timeout,
        }
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.config.socket)
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile("rb") as reader:
                answer: dict[str, Any] = json.loads(reader.readline())
        output = {"output": answer["output"], "returncode": answer["returncode"], "exception_info": ""}
        lines = answer["output"].lstrip().splitlines()
        if lines and lines[0].strip() == DONE and answer["returncode"] == 0:
            self._submit()
        return output

    def _submit(self) -> None:
        from minisweagent.exceptions import Submitted  # noqa: PLC0415 (only there in its own process)

        extra = {"exit_status": "Submitted", "submission": ""}
        raise Submitted({"role": "exit", "content": "", "extra": extra})

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        """Return what its prompts may use; nothing of the host is in it."""
        system = {"system": "Linux", "release": "", "version": "", "machine": ""}
        return {**asdict(self.config), **system, **more}

    def serialize(self) -> dict[str, Any]:
        """Return what goes into its trajectory."""
        return {"info": {"config": {"environment": asdict(self.config), "environment_type": "suture"}}}
