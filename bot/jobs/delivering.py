"""The workflow of one delivery: payload in, intents out, each acted on; one that fails stops no other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import structlog

from bot.jobs import configuring
from bot.jobs.dispatch import act
from bot.jobs.journal import StepFailedError
from bot.jobs.services import in_thread
from bot.repo_config import DEFAULTS
from bot.store.codec import decode_tagged, encode_tagged
from bot.store.deliveries import Delivery, DeliveryState
from handlers import registry
from handlers.errors import PayloadError
from handlers.intents import Intent, Repository

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig

log = structlog.get_logger(__name__)


async def deliver(journal: Journal, services: Services, guid: str) -> None:
    """Do what a delivery asks for, once."""
    with structlog.contextvars.bound_contextvars(delivery_id=guid):
        try:
            asked = await journal.step("interpret", lambda: _interpret(services, guid))
        except StepFailedError as error:
            await _conclude(journal, services, guid, [str(error)])
            return
        if asked:
            await _conclude(journal, services, guid, await _act_on(journal, services, guid, asked))


async def _act_on(journal: Journal, services: Services, guid: str, asked: list[Any]) -> list[str]:
    problems = []
    for index, item in enumerate(asked):
        intent = decode_tagged(item)
        try:
            await act(journal, services, intent, f"{guid}-{index}")
        except StepFailedError as error:
            log.warning("intent_failed", intent=type(intent).__name__, error=str(error))
            problems.append(f"{type(intent).__name__}: {error}")
    return problems


async def _interpret(services: Services, guid: str) -> list[Any]:
    """Read the payload; nothing to do is recorded at once, which spares a step."""
    delivery = await in_thread(services.store.deliveries.find, guid)
    if delivery is None or not delivery.body:
        return []
    payload = json.loads(delivery.body)
    try:
        intents = registry.interpret(delivery.event, payload, await _triggers(services, delivery, payload))
    except PayloadError as error:
        await in_thread(services.store.deliveries.conclude, guid, DeliveryState.FAILED, str(error))
        log.warning("payload_not_understood", event_name=delivery.event, problems=list(error.problems))
        return []
    known = [located for intent in intents if (located := await _locate(services, intent))]
    if not known:
        await in_thread(services.store.deliveries.conclude, guid, DeliveryState.IGNORED)
    return [encode_tagged(intent) for intent in known]


async def _triggers(services: Services, delivery: Delivery, payload: Any) -> TriggerConfig:
    """Return what the delivery's repository wants to react to, if Suture is installed there."""
    found = payload.get("repository")
    if not delivery.repository_id or delivery.event not in registry.BY_NAME or not isinstance(found, dict):
        return configuring.triggers_of(services, DEFAULTS)
    known = await in_thread(services.store.repositories.get, delivery.repository_id)
    installation_id = delivery.installation_id or (known.installation_id if known else 0)
    if not installation_id or not isinstance(found.get("full_name"), str):
        return configuring.triggers_of(services, DEFAULTS)
    repository = Repository(
        id=delivery.repository_id, full_name=found["full_name"], installation_id=installation_id
    )
    await in_thread(services.store.repositories.see, repository, services.now())
    return configuring.triggers_of(services, await configuring.config_of(services, repository))


async def _locate(services: Services, intent: AnyIntent) -> AnyIntent | None:
    """Remember the repository as the event shows it; drop what no installation stands behind."""
    if not isinstance(intent, Intent):
        return intent
    repository = intent.repository
    if not repository.installation_id or await in_thread(
        services.store.repositories.is_suspended, repository.installation_id
    ):
        return None
    await in_thread(services.store.repositories.see, repository, services.now())
    return intent


async def _conclude(journal: Journal, services: Services, guid: str, problems: list[str]) -> None:
    state = DeliveryState.FAILED if problems else DeliveryState.DONE

    async def conclude() -> None:
        await in_thread(services.store.deliveries.conclude, guid, state, "; ".join(problems))

    await journal.step("conclude", conclude)
