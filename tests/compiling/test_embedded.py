"""A compile with the embedded model itself: real answers become demonstrations, and replay without it."""

from __future__ import annotations

import pytest

from leaderboard.calls.spending import Ledger, Spent
from leaderboard.calls.store import CallStore
from leaderboard.compiling.program import Answering, learn
from leaderboard.files import digest_json
from leaderboard.models.embedded import EmbeddedProvider
from tests.compiling.school import NAMES, TRAIN, submit


@pytest.mark.model
def test_the_embedded_model_is_bootstrapped_in_at_most_six_calls(tmp_path):
    submission = submit(
        tmp_path, "bootstrap_few_shot", max_bootstrapped_demos=1, max_labeled_demos=0, max_calls=6
    )
    store, provider = (
        CallStore(tmp_path / "calls"),
        EmbeddedProvider("embedded/qwen2.5-coder-0.5b", context_tokens=1024),
    )
    try:
        learnt = learn(submission.document, TRAIN, Answering(provider, store, Ledger(None, Spent())))
    finally:
        provider.close()
    assert 1 <= learnt.calls.made <= 6
    [demo] = learnt.predictors["answer"]["demos"]
    assert any(name in demo["answer"] and key in demo["question"] for key, name in NAMES.items())
    again = learn(submission.document, TRAIN, Answering(provider, store, Ledger(None, Spent()), "replay"))
    assert digest_json(again.predictors) == digest_json(learnt.predictors)
