"""What is left to --all: cases of a sweep beside its sample, each with a reason."""

import pytest

from tests.sweeps import sampled

RAN = []


@pytest.mark.parametrize(
    ("number", "word"), sampled([(1, "a"), (2, "b")], [(1, "a")], reason="for the next test")
)
def test_numbers_and_words(number, word):
    RAN.append((number, word))


def test_the_sample_runs_and_the_rest_with_all(request):
    rest = [(2, "b")] if request.config.getoption("--all") else []
    assert RAN == [(1, "a"), *rest]


@pytest.mark.parametrize("sample", [[3], [1, 3], [], lambda case: case > 2])
def test_a_sample_is_of_the_sweep(sample):
    with pytest.raises(ValueError, match="not in the sweep"):
        sampled([1, 2], sample, reason="none")
