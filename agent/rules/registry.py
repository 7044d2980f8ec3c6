"""The rules in their order; adding one is a file, a line here, and its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.rules import (
    archive_slip,
    autoescape,
    debug_mode,
    deserialization,
    open_redirect,
    path_traversal,
    prototype_pollution,
    shell_injection,
    slow_patterns,
    sql_injection,
    temporary_files,
    timing,
    tls_verification,
    weak_randomness,
    xml_entities,
    yaml_load,
)

if TYPE_CHECKING:
    from agent.ports import Rule

# where two rules answer one weakness, the more exact one stands first
RULES: Final[tuple[Rule, ...]] = (
    prototype_pollution.RULE,
    archive_slip.RULE,
    path_traversal.RULE,
    yaml_load.RULE,
    deserialization.RULE,
    shell_injection.RULE,
    sql_injection.RULE,
    xml_entities.RULE,
    open_redirect.RULE,
    autoescape.RULE,
    slow_patterns.RULE,
    timing.RULE,
    weak_randomness.RULE,
    tls_verification.RULE,
    temporary_files.RULE,
    debug_mode.RULE,
)
