"""Sweeps over every case of a list: a sample in every run, the rest with `python -m pytest --all`."""

import pytest


def sampled(cases, sample, *, reason, ids=None):
    """All cases as parameters; those that `sample(case)` does not choose are marked long, with the reason.

    A case is an argument or a tuple of them. `sample` may be a list of cases too, each of which has to be one
    of the sweep. `ids(case)` names a case.
    """
    cases = list(cases)
    listed = None if callable(sample) else list(sample)
    chosen = [sample(case) if listed is None else case in listed for case in cases]
    if not any(chosen) or (listed is not None and any(case not in cases for case in listed)):
        raise ValueError(f"not in the sweep: {sample!r}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if runs else pytest.mark.long(reason=reason),
            id=ids(case) if ids else None,
        )
        for case, runs in zip(cases, chosen, strict=True)
    ]
