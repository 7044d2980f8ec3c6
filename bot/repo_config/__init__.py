"""The repository configuration, ``.github/suture.yml``."""

from __future__ import annotations

from bot.repo_config.model import PATH, RepoConfig, Unproven
from bot.repo_config.reading import DEFAULTS, ConfigProblems, Operator, read_config
from bot.repo_config.uses import AppIdentity, run_config, trigger_config

__all__ = [
    "DEFAULTS",
    "PATH",
    "AppIdentity",
    "ConfigProblems",
    "Operator",
    "RepoConfig",
    "Unproven",
    "read_config",
    "run_config",
    "trigger_config",
]
