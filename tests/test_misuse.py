"""Every mistake of the table is refused with words, in bounded time, and never by a raw error."""

import time

import pytest

from geoctrl.errors import GeoctrlError
from tests.misuse import CALLS, NUMBERS

PROMPT = 20.0
"""Seconds of the processor that a refusal may take: the slowest builds a system first."""


@pytest.mark.parametrize(
    ("call", "error"), [pytest.param(call, error, id=what) for what, call, error in CALLS + NUMBERS]
)
def test_a_mistake_is_refused_with_words(call, error, tmp_path):
    begun = time.process_time()
    with pytest.raises(error) as refusal:
        call(tmp_path)
    assert time.process_time() - begun < PROMPT
    if not isinstance(refusal.value, (GeoctrlError, FileNotFoundError)):
        # A TypeError of Python itself, for a call with wrong arguments, names no remedy.
        assert str(refusal.traceback[-1].statement).lstrip().startswith("raise TypeError")
    assert len(str(refusal.value)) > 15
    # No traceback of what went wrong inside goes before the words.
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None
