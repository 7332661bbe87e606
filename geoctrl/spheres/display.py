"""Systems on spheres in LaTeX."""

from __future__ import annotations

import numpy as np
import sympy as sp

from geoctrl.manifolds.display import FEW, Line, ManifoldDisplay, matrix, numbers, written
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.potentials import Pairs, Sites
from geoctrl.systems.typesetting import Piece, symbol_name, width

__all__ = ["SphereDisplay"]


class SphereDisplay(ManifoldDisplay):
    """The parts of a system on spheres."""

    system: SphereDescription

    potential = "V"
    work = r"\delta W = \sum_i f_i \cdot \delta q_i"

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        return self.plain(r"\ell"), [
            (1, r"\tfrac12 \sum_{i,j} m_{ij}\, \dot q_i \cdot \dot q_j"),
            (-1, "V(q)"),
        ]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, the same for all bodies."""
        varies = self.system.mass_nodes is not None
        f = "f_i - " if self.system.forced else "-"
        right = (
            rf"q_i \times \Bigl({f}\frac{{\partial V}}{{\partial q_i}} "
            r"- \sum_{j \ne i} m_{ij}\, \omega_j \times \dot q_j\Bigr)"
        )
        lines: list[Line] = [
            (self.plain(r"\dot q_i"), self.plain(r"\omega_i \times q_i")),
            (
                [
                    (1, r"m_{ii}\, \dot\omega_i"),
                    (1, r"\sum_{j \ne i} m_{ij}\, q_i \times (\dot\omega_j \times q_j)"),
                ],
                [(1, right), *([(-1, "N_i")] if varies else [])],
            ),
        ]
        if varies:
            inner = (
                r"q_i \times \Bigl(\sum_{j \ne i} \dot m_{ij} \dot q_j "
                r"- \tfrac12 \partial_{q_i} \sum_{j,k} m_{jk}\, \dot q_j \cdot \dot q_k\Bigr)"
            )
            lines.append((self.plain("N_i"), [(1, r"\dot m_{ii} \omega_i"), (1, inner)]))
        return lines

    def inertia(self) -> list[Line]:
        """What the inertias are, and what is linear in velocities."""
        system = self.system
        M = system.mass_expression
        if M.is_diagonal() and len(set(M.diagonal())) == 1:
            return [(self.plain("m_{ii}"), self.pieces(M[0, 0])), *self._no_coupling()]
        if system.n > FEW:
            return [(self.plain("m_{11}"), self.pieces(M[0, 0]))]
        return [(self.plain("m"), self.plain(matrix([[self.text(e) for e in row] for row in M.tolist()])))]

    def _no_coupling(self) -> list[Line]:
        return [(self.plain("m_{ij}"), self.plain(r"0 \quad (i \ne j)"))] if self.system.n > 1 else []

    def potential_lines(self) -> list[Line]:
        """What the potential is."""
        system = self.system
        if system.computed:
            return [(self.plain("V"), self.plain(r"\text{a function of } q"))]
        pieces: list[Piece] = []
        data: list[Line] = []
        for k, term in enumerate(system.potential_terms):
            if isinstance(term, (Sites, Pairs)):
                letter = "c" if not data else "d" + "'" * (k - 1)
                pieces.append((1, self._sum(term, letter)))
                data += self._data(term, letter)
            elif term != 0:
                pieces += self.pieces(term)
        return [(self.plain("V"), pieces or self.plain("0")), *data]

    def _sum(self, term: Sites | Pairs, letter: str) -> str:
        """One term of a sum as it was given, or as a function of the product of two directions."""
        bodies = ("i",) if isinstance(term, Sites) else ("i", "j")
        index = ",".join(bodies)
        text = {
            s: f"q_{{{body},{k}}}"
            for body, vector in zip(bodies, term.vectors, strict=True)
            for k, s in enumerate(vector, start=1)
        }
        single = len(term.data) == 1
        text |= {
            s: f"{letter}_{{{index}" + ("}" if single else f",{k}}}") for k, s in enumerate(term.data, 1)
        }
        text |= {p.symbol: symbol_name(p.name) for p in self.system.parameters}
        expr, product = term.expr, sp.Dummy("s", real=True)
        if isinstance(term, Pairs) and is_isotropic(term):
            expr = of_product(term, product)
            text[product] = r"(q_i \cdot q_j)"
        found = sp.latex(written(expr), symbol_names=text)
        if width(found) > self.width:  # a term of a sum is not broken
            arguments = ", ".join(f"q_{body}" for body in bodies)
            found = rf"\text{{an expression of {sp.count_ops(expr)} operations in }} {arguments}"
        over = self._over(term)
        return rf"{over} \Bigl({found}\Bigr)" if expr.is_Add or found[0] == "-" else f"{over} {found}"

    def _over(self, term: Sites | Pairs) -> str:
        if isinstance(term, Sites):
            return r"\sum_i"
        if term.pairs is None:
            near = rf",\; |q_i - q_j| < {term.cutoff:g}" if term.cutoff is not None else ""
            return rf"\sum_{{i < j{near}}}"
        if len(term.pairs) > FEW:
            return rf"\sum_{{{len(term.pairs)} \text{{ pairs }} (i, j)}}"
        return rf"\sum_{{(i,j) = {', '.join(f'({a + 1},{b + 1})' for a, b in term.pairs)}}}"

    def _data(self, term: Sites | Pairs, letter: str) -> list[Line]:
        if term.c is None or len(term.c) > FEW:
            return []
        return [(self.plain(letter), self.plain(matrix([numbers(row) for row in term.c])))]


def is_isotropic(term: Pairs) -> bool:
    """Whether a term of two directions stays as it is when both are turned alike, seen at random ones."""
    rng = np.random.default_rng(3)
    symbols = [s for v in term.vectors for s in v]
    free = sorted(term.expr.free_symbols - set(symbols), key=str)
    value = sp.lambdify([*symbols, *free], term.expr, "numpy")
    for _ in range(3):
        numbers = rng.uniform(0.5, 1.5, len(free))
        pair = [v / np.linalg.norm(v) for v in rng.normal(size=(2, 3))]
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        given, turned = (value(*np.ravel(p), *numbers) for p in (pair, [turn @ v for v in pair]))
        if not abs(given - turned) <= 1e-9 * (abs(given) + abs(turned)):
            return False
    return True


def of_product(term: Pairs, product: sp.Symbol) -> sp.Expr:
    """An isotropic term as a function of the product of its directions."""
    first, second = (1, 0, 0), (product, sp.sqrt(1 - product**2), 0)
    entries = zip((s for v in term.vectors for s in v), (*first, *second), strict=True)
    return (
        written(term.expr)
        .xreplace(dict(entries))
        .replace(lambda e: e.is_Pow and e.base.is_Add, lambda e: sp.factor(sp.expand(e.base)) ** e.exp)
    )
