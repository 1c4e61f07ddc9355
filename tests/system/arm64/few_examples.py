"""A pytest plugin for emulated runs: hypothesis tries ten examples of each property, without a time limit for one. Elsewhere it tries them all."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

MOST = 10
FEW = settings(max_examples=MOST, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
settings.register_profile("emulated", FEW)
settings.load_profile("emulated")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        test = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            test._hypothesis_internal_use_settings = settings(FEW, max_examples=min(own.max_examples, MOST))
