"""Jumps as they are described: a guard, and what becomes of the state where it is passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, read_matrix, real, shown
from geoctrl.errors import ConstraintError, DescriptionError, InputError

__all__ = ["Impact", "Jump"]


@dataclass(frozen=True, eq=False)
class Jump:
    r"""A jump that is given: where ``when`` passes zero, states become what ``reset`` says.

    .. math:: h(x^-) = 0, \qquad x^+ = R(x^-)

    Time does not pass. What is no choice of a model but follows from it, as the impact of a mechanism on the
    ground, is an `Impact`.

    Parameters
    ----------
    name : str
    when : expression
        The guard h, in states, full velocities, parameters, time and `reaction`, in the mode that is left.
    direction : {-1, 0, 1}
        Passed downwards, either way, or upwards only.
    reset : mapping of label -> expression
        States of the mode that is entered by expressions in those before; those not named keep their values.
    of, to : str, optional
        The mode that is left, and the one that is entered: the same unless it is named. With one mode
        neither is needed.

    Raises
    ------
    TypeError, DescriptionError, InputError
        For a name that is no text; a guard or a reset that is no expression, or a guard without symbols; for
        another direction.

    Examples
    --------
    A thermostat:

    >>> import sympy as sp, geoctrl as gc
    >>> T = sp.Symbol("T", real=True)
    >>> warm = gc.Jump("too warm", when=T - 22, direction=1, of="heating", to="cooling")
    >>> warm.when, warm.direction, warm.to
    (T - 22, 1, 'cooling')
    """

    name: str
    when: Any
    direction: int = 0
    reset: Mapping[str, Any] = field(default_factory=dict)
    of: str | None = None
    to: str | None = None

    def __post_init__(self) -> None:
        _read_guard(self)
        put = _label_expressions("reset", self.name, self.reset)
        object.__setattr__(self, "reset", put)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False)
class Impact:
    r"""An impact of a mechanism, which follows from its inertia.

    With the velocities :math:`y = J\xi` of what is struck and rows A of the mode that stay in force,

    .. math::

        M(\xi^+ - \xi^-) = J^T\lambda + A^T\nu, \qquad J\xi^+ = -E\,J\xi^-, \qquad A\xi^+ = 0,
        \qquad T^+ - T^- = \tfrac12\lambda\cdot(y^+ + y^-)

    (`geoctrl.systems.jumps.impact_equations`; E has the restitutions on its diagonal, [NSD] Newton's law of
    restitution). The rows that are released carry no impulse: they are the contacts that leave.

    Parameters
    ----------
    name : str
    when : expression
        The guard, in states, full velocities and parameters, in the mode that is left: a distance, of which
        the rate is the velocity of the row that can only push.
    rows : (k, n) entries, or names of constraint rows
        Covectors in the full velocities, of the velocities that the impact stops or turns back; or rows of
        the mode that is entered.
    direction : {-1, 0, 1}
        Of the guard, as of `Jump`; downwards by default, as a distance is passed.
    restitution : number or expression in parameters, or one for each row
        From 0, which is plastic, to 1.
    releases : names of constraint rows
        Rows of the mode that is left that carry no impulse.
    relabel : mapping of label -> label or expression
        What is named anew after the impact: legs that swap, the next spoke of a wheel. Expressions are in
        coordinates and full velocities after the impact; all that is not named keeps its value.
    normal : int, optional
        Which of ``rows`` can only push: its velocity must be negative before the impact, its impulse not be
        negative. A single row does so by default.
    leaving : str or n entries, optional
        A row that is released, or a covector, whose velocity must not be negative after the impact.
    rest : str, optional
        The mode in which a motion goes on where such impacts accumulate.
    step : as many entries as the group R^k has, optional
        From the point whose velocity the group has before to that of which it is afterwards, in the
        configuration before anything is named anew: from the foot that leaves to the one that struck. Places
        along a run (`HybridTrajectory.position`) go on by it.
    of, to : str, optional
        As of `Jump`.

    Raises
    ------
    TypeError, DescriptionError, InputError, ConstraintError
        For a name that is no text; a guard that is no expression or holds no symbol; for another direction,
        a restitution outside 0 to 1, or as many as there are no rows; rows of different lengths; names that
        change places and are not as many before as after.

    Examples
    --------
    A ball that bounces keeps the part e of its speed:

    >>> import geoctrl as gc
    >>> z = gc.Coordinate("z")
    >>> bounce = gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution="4/5")
    Traceback (most recent call last):
    geoctrl.errors.InputError: restitution of 'bounce' must be a number, got the text '4/5'
    >>> bounce = gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=0.8)
    >>> ball = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[1]], potential=9.81 * z.symbol,
    ...                         jumps=[bounce])
    >>> run = gc.simulate(ball.hybrid(), 1.0, [0, 1])
    >>> len(run.jumps), round(float(run.jumps[0].lost), 4)
    (1, 3.5316)
    """

    name: str
    when: Any
    rows: Any
    direction: int = -1
    restitution: Any = 0
    releases: Sequence[str] = ()
    relabel: Mapping[str, Any] = field(default_factory=dict)
    normal: int | None = None
    leaving: Any = None
    rest: str | None = None
    step: Any = None
    of: str | None = None
    to: str | None = None

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        _read_guard(self)
        put("rows", _rows_of(self))
        k = len(self.rows) if self.names_rows else self.rows.rows
        put("restitution", _restitutions(self, k))
        put("releases", _names_in("releases", self.name, self.releases))
        put("relabel", _label_expressions("relabel", self.name, self.relabel, labels=True))
        _require_bijection(self)
        if self.normal is None:
            put("normal", 0 if k == 1 else None)
        else:
            whole_number(f"normal of {self.name!r}", self.normal, 0)
            if self.normal >= k:
                raise InputError(
                    f"normal of {self.name!r} counts rows from 0 and there are {k}, got {self.normal}"
                )
        if not (self.leaving is None or isinstance(self.leaving, str)):
            put("leaving", read_matrix(f"leaving of {self.name!r}", [list(self.leaving)], ConstraintError))
        if not (self.rest is None or isinstance(self.rest, str)):
            raise TypeError(f"rest of {self.name!r} must be the name of a mode, got {shown(self.rest)}")
        if self.step is not None:
            put("step", read_matrix(f"step of {self.name!r}", self.step, InputError))

    @property
    def names_rows(self) -> bool:
        """Whether what is struck are constraint rows of the mode entered, by their names."""
        return isinstance(self.rows, tuple)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _read_guard(jump: Jump | Impact) -> None:
    """Put in the guard, and refuse names, directions and modes of another kind."""
    if not isinstance(jump.name, str) or not jump.name.strip():
        raise TypeError(f"a jump goes by a name, which is text, got {shown(jump.name)}")
    when = expression(jump.when, f"when of {jump.name!r}")
    if not when.free_symbols:
        raise DescriptionError(
            f"when of {jump.name!r} is the constant {when}: give an expression in the states, which passes "
            "zero at the jump"
        )
    object.__setattr__(jump, "when", when)
    if real(jump.direction, f"direction of {jump.name!r}") not in (-1.0, 0.0, 1.0):
        raise InputError(f"direction of {jump.name!r} must be -1, 0 or 1, got {jump.direction!r}")
    for what in ("of", "to"):
        if not (getattr(jump, what) is None or isinstance(getattr(jump, what), str)):
            raise TypeError(
                f"{what} of {jump.name!r} must be the name of a mode, got {shown(getattr(jump, what))}"
            )


def _label_expressions(what: str, name: str, given: Any, labels: bool = False) -> dict[str, sp.Expr]:
    """Expressions by label; a label in their place is its symbol."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} of {name!r} must be a dict of label -> expression, got {shown(given)}")
    found = {}
    for label, value in given.items():
        if not isinstance(label, str):
            raise TypeError(f"{what} of {name!r} goes by labels, which are text, got {shown(label)}")
        symbol = labels and isinstance(value, str) and value.isidentifier()
        text = f"{what}[{label!r}] of {name!r}"
        found[label] = sp.Symbol(value, real=True) if symbol else expression(value, text)
    return found


def _names_in(what: str, name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, (str, sp.Basic, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{what} of {name!r} must be a list of names, got {shown(given)}")
    names = tuple(given)
    if not all(isinstance(row, str) for row in names):
        raise TypeError(f"{what} of {name!r} must be names of constraint rows, got {shown(names)}")
    return names


def _rows_of(impact: Impact) -> Any:
    """Names as a tuple, or covectors as a matrix."""
    given = impact.rows.tolist() if hasattr(impact.rows, "tolist") else impact.rows
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__iter__"):
        raise TypeError(
            f"rows of {impact.name!r} must be a list of covectors or of names of constraint rows, got "
            f"{shown(given)}"
        )
    rows = list(given)
    if rows and all(isinstance(row, str) for row in rows):
        return tuple(rows)
    if not rows or not all(hasattr(row, "__iter__") and not isinstance(row, (str, Mapping)) for row in rows):
        raise ConstraintError(
            f"rows of {impact.name!r} must be one covector or more, each as long as the full velocity, or "
            f"names of constraint rows, got {shown(given)}"
        )
    return read_matrix(f"rows of {impact.name!r}", [list(row) for row in rows], ConstraintError)


def _restitutions(impact: Impact, count: int) -> tuple[sp.Expr, ...]:
    given, what = impact.restitution, f"restitution of {impact.name!r}"
    several = isinstance(given, Iterable) and not isinstance(given, (str, sp.Basic, Mapping))
    several = several and getattr(given, "shape", None) != ()  # an array of one number
    values = tuple(given) if several else (given,) * count
    if len(values) != count:
        raise InputError(f"{what} must be one number, or one for each of {count} rows, got {len(values)}")
    for value in values:
        if isinstance(value, (str, bytes)):
            raise InputError(f"{what} must be a number, got the text {shown(value)}")
    found = tuple(expression(value, what, InputError) for value in values)
    for value in found:
        if not value.free_symbols and not 0 <= value <= 1:
            raise InputError(f"{what} must lie between 0 (plastic) and 1 (elastic), got {value}")
    return found


def _require_bijection(impact: Impact) -> None:
    """Refuse names that change places where what they were is no function of what they are."""
    if not impact.relabel:
        return
    images = sp.Matrix(list(impact.relabel.values()))
    slopes = images.jacobian([sp.Symbol(label, real=True) for label in impact.relabel])
    if sp.simplify(slopes.det()) == 0:
        told = ", ".join(f"{label} = {value}" for label, value in impact.relabel.items())
        raise ConstraintError(
            f"relabel of {impact.name!r} is no exchange of the labels that it names: from {told} the values "
            "before cannot be told; name each label that a value moves to"
        )
