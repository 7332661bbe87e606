r"""What `ManifoldSystem.latex` prints: Lagrangian, generalised forces, equations of motion.

Bodies are numbered by indices: what is the same for all of them is written once, as on paper, and what they
differ in follows, as numbers where there are few.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import require_choice
from geoctrl._scalars import real, shown
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.errors import InputError
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.energies.summed_terms import Small, Sum
from geoctrl.manifolds.factors import Direction
from geoctrl.systems.typesetting.decimal_printing import is_long
from geoctrl.systems.typesetting.notebook import rows
from geoctrl.systems.typesetting.typesetting import Piece, Typesetter, aligned_equations, symbol_name, width

__all__ = ["FEW", "Line", "ManifoldDisplay", "latex", "matrix", "numbers", "rounded_expression"]

PARTS = ("motion", "lagrangian", "forces")
FEW = 4
"""Bodies of which each has a line of its own."""
LINES = 8
"""Lines that one formula may take."""

Line = tuple[Sequence[Piece], Sequence[Piece]]


@long_call
def latex(
    system: Any,
    part: str = "motion",
    width: float = 38.0,
    budget: float = BUDGET,
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> str:
    """The system in LaTeX.

    Parameters
    ----------
    part : {"motion", "lagrangian", "forces"}
        Equations of motion, Lagrangian, generalised forces; the first two with what their letters stand for.
        Of more than four bodies the first stands for all.
    width, budget : float
        Width of a line in em; seconds, and a line that is not typeset by then says so.
    progress, seconds
        As of `geoctrl.certify`; the budget is part of these seconds.
    """
    return system.display_type(system.description, width, under_way().search_budget(budget)).part(part)


class ManifoldDisplay(ABC):
    """The parts of a system in LaTeX.

    Parameters
    ----------
    width : float
        Width of a line in em.
    budget : Budget
        A line that is not typeset by then is replaced by one that says so.
    """

    potential: ClassVar[str]
    """Letter of the potential."""
    work: ClassVar[str]
    """What the generalised forces are, as an equation."""

    def __init__(self, system: Description, width: float, budget: Budget) -> None:
        self.system, self.width, self.budget = system, real(width, "width"), budget
        if not self.width > 0:
            raise InputError(f"width must be positive, got {shown(width)}")
        parameters = [p.symbol for p in system.parameters]
        states = list(system.states)
        self.setter = Typesetter([*parameters, *states, *system.driven], moving=states, fixed=parameters)

    def part(self, name: str) -> str:
        """One of the parts above; InputError if there is none of that name."""
        require_choice("part", name, PARTS)
        late = rf"\text{{not typeset within {self.budget.words}}}"
        return self.budget.attempt(name, getattr(self, name), late)

    def motion(self) -> str:
        """The equations of motion, and what the letters in them stand for."""
        return rows([aligned_equations(self.equations(), self.width), self.definitions(), self.forces()])

    def lagrangian(self) -> str:
        """The Lagrangian, and what the letters in it stand for."""
        return rows([aligned_equations([self.kinetic()], self.width), self.definitions()])

    def forces(self) -> str:
        """The generalised forces; empty where there are none."""
        system = self.system
        if not system.has_forces:
            return ""
        if callable(system.forces_given):
            return rf"{self.work}, \quad f \text{{ a function}}"
        vectors = [(self.plain(name), self.plain(self.column(f))) for name, f in self.acting()]
        law = [r"u = u(t, x) \text{, a function}"] if system.law is not None else []
        return rows([self.work, aligned_equations(vectors, self.width), *law])

    def acting(self) -> list[tuple[str, sp.Matrix]]:
        """Names and vectors of the forces that are shown."""
        return [(f"f_{{{i}}}", f) for i, f in enumerate(self.few(self.system.forces_given), 1)]

    def definitions(self) -> str:
        """Inertias, linear terms and the potential."""
        return aligned_equations([*self.inertia(), *self.potential_lines()], self.width)

    @abstractmethod
    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, the same for all bodies."""

    @abstractmethod
    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""

    @abstractmethod
    def inertia(self) -> list[Line]:
        """What the inertias are."""

    def potential_lines(self) -> list[Line]:
        """What the potential is."""
        system, letter = self.system, self.plain(self.potential)
        if system.computed:
            return [(letter, self.plain(rf"\text{{a function of }} {system.pair[0]}"))]
        pieces: list[Piece] = []
        data: list[Line] = []
        for k, term in enumerate(system.potential_terms):
            domain = term.domain
            if not domain.indices:
                pieces += self.pieces(term.small.expr) if term.small.expr != 0 else []
                continue
            name = "c" if not data else "d" + "'" * (k - 1)
            pieces.append((1, self.sum(term, name)))
            if domain.c is not None and len(domain.c) <= FEW:
                data.append((self.plain(name), self.plain(matrix([numbers(row) for row in domain.c]))))
        return [(letter, pieces or self.plain("0")), *data]

    def sum(self, term: Sum, name: str) -> str:
        """A sum as it was given, with data that go by ``name``; in products of directions where it can be."""
        small, domain = term.small, term.domain
        index = ",".join(domain.indices)
        letter, entries = self.system.pair[0], 3 * domain.rows
        places = [(body, k) for body in domain.indices for k in range(entries)]
        text = {
            s: f"{letter}_{{{body},{k + 1 if entries == 3 else f'{k // 3 + 1}{k % 3 + 1}'}}}"
            for s, (body, k) in zip(small.symbols, places, strict=True)
        }
        single = len(small.data) == 1
        text |= {s: f"{name}_{{{index}" + ("}" if single else f",{k}}}") for k, s in enumerate(small.data, 1)}
        text |= {p.symbol: symbol_name(p.name) for p in self.system.parameters}
        expr, product = small.expr, sp.Dummy("s", real=True)
        if domain.kind is Direction and len(domain.indices) == 2 and is_isotropic(small):
            expr = of_product(small, product)
            text[product] = rf"({letter}_i \cdot {letter}_j)"
        found = sp.latex(rounded_expression(expr), symbol_names=text)
        if width(found) > self.width:  # a term of a sum is not broken
            arguments = ", ".join(f"{letter}_{body}" for body in domain.indices)
            found = rf"\text{{an expression of {sp.count_ops(expr)} operations in }} {arguments}"
        return (
            rf"{domain.sign} \Bigl({found}\Bigr)"
            if expr.is_Add or found[0] == "-"
            else f"{domain.sign} {found}"
        )

    # -- pieces ---------------------------------------------------------------------------------

    @staticmethod
    def plain(text: str) -> list[Piece]:
        """A formula that is not broken."""
        return [(1, text)]

    @staticmethod
    def few(values: Sequence[Any]) -> Sequence[Any]:
        """The first ones, where they are many."""
        return values if len(values) <= FEW else values[:1]

    def column(self, vector: sp.Matrix) -> str:
        """A vector of expressions."""
        return matrix([[self.text(e)] for e in vector])

    def text(self, expr: sp.Expr) -> str:
        """An expression on one line."""
        return self.setter.text(rounded_expression(expr))

    def pieces(self, expr: sp.Expr) -> list[Piece]:
        """An expression, term by term, with time kept for the lines after it; words where it fills a page."""
        late = self.plain(rf"\text{{not typeset within {self.budget.words}}}")
        found = self.budget.attempt(
            "a line", lambda: self.setter.pieces(rounded_expression(expr)), late, share=0.5, reserve=0.1
        )
        if sum(width(body) for _, body in found) > LINES * self.width:
            return self.plain(rf"\text{{an expression of {sp.count_ops(expr)} operations}}")
        return found


def rounded_expression(expr: sp.Expr) -> sp.Expr:
    """Six digits of floats and of long rationals; whole numbers for those that are whole."""
    shown = [*expr.atoms(sp.Float), *filter(is_long, expr.atoms(sp.Rational))]
    return expr.xreplace({f: sp.Integer(int(f)) if float(f).is_integer() else sp.Float(f, 6) for f in shown})


def matrix(entries: Sequence[Sequence[str]]) -> str:
    """A matrix of formulas."""
    lines = r" \\ ".join(" & ".join(row) for row in entries)
    return rf"\begin{{pmatrix}} {lines} \end{{pmatrix}}"


def numbers(values: np.ndarray) -> list[str]:
    """Numbers with six digits."""
    return [sp.latex(rounded_expression(sp.Float(v))) for v in values]


def is_isotropic(small: Small) -> bool:
    """Whether an expression in two directions stays as it is when both are turned alike, at random ones."""
    rng = np.random.default_rng(3)
    free = sorted(small.expr.free_symbols - set(small.symbols), key=str)
    value = sp.lambdify([*small.symbols, *free], small.expr, "numpy")
    for _ in range(3):
        numbers = rng.uniform(0.5, 1.5, len(free))
        pair = [v / np.linalg.norm(v) for v in rng.normal(size=(2, 3))]
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        given, turned = (value(*np.ravel(p), *numbers) for p in (pair, [turn @ v for v in pair]))
        if not abs(given - turned) <= 1e-9 * (abs(given) + abs(turned)):
            return False
    return True


def of_product(small: Small, product: sp.Symbol) -> sp.Expr:
    """An isotropic expression as a function of the product of its directions."""
    first, second = (1, 0, 0), (product, sp.sqrt(1 - product**2), 0)
    entries = zip(small.symbols, (*first, *second), strict=True)
    return (
        rounded_expression(small.expr)
        .xreplace(dict(entries))
        .replace(lambda e: e.is_Pow and e.base.is_Add, lambda e: factorisation(sp.expand(e.base)) ** e.exp)
    )
