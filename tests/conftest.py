"""For every test: sympy may not evaluate text as a program, which it would do with text inside containers."""

import pytest
import sympy.physics.units  # noqa: F401, it evaluates text of its own when `solve` loads it
from sympy.parsing import sympy_parser


class EvaluatedError(BaseException):
    """Text reached sympy's parser; no `except Exception` may hide it."""


@pytest.fixture(autouse=True)
def _no_text_is_evaluated(monkeypatch):
    def refuse(code, *_):
        raise EvaluatedError(f"sympy was about to evaluate {code!r}")

    monkeypatch.setattr(sympy_parser, "eval_expr", refuse)
