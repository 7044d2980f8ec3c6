"""The rules in their order; adding one is a file, a line here, and its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.rules import path_traversal, prototype_pollution, shell_injection, yaml_load

if TYPE_CHECKING:
    from agent.ports import Rule

RULES: Final[tuple[Rule, ...]] = (
    prototype_pollution.RULE,
    path_traversal.RULE,
    yaml_load.RULE,
    shell_injection.RULE,
)
