"""The list of the stages and their functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.run import Stage
from agent.workflow.stages.baseline import run_baseline
from agent.workflow.stages.diagnose import diagnose
from agent.workflow.stages.environment import prepare_environment
from agent.workflow.stages.generate import generate
from agent.workflow.stages.localize import localize
from agent.workflow.stages.refine import refine
from agent.workflow.stages.reproduce import reproduce
from agent.workflow.stages.validate import validate

if TYPE_CHECKING:
    from agent.workflow.state import Stages

STAGES: Stages = {
    Stage.ENVIRONMENT: prepare_environment,
    Stage.BASELINE: run_baseline,
    Stage.REPRODUCE: reproduce,
    Stage.LOCALIZE: localize,
    Stage.DIAGNOSE: diagnose,
    Stage.GENERATE: generate,
    Stage.VALIDATE: validate,
    Stage.REFINE: refine,
}
