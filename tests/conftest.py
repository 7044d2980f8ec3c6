"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Wall-clock limits of single examples say more about a busy machine than about the code.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
