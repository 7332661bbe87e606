"""Systems on products in LaTeX."""

from __future__ import annotations

import sympy as sp

from geoctrl.manifolds.factors import Attitude, Direction, Factor
from geoctrl.manifolds.vectors.reading import read_scalar
from geoctrl.manifolds.views.display import Line, ManifoldDisplay
from geoctrl.systems.typesetting.typesetting import symbol_name

__all__ = ["ProductDisplay"]


class ProductDisplay(ManifoldDisplay):
    """The parts of a system on a product, factor by factor."""

    potential = "V"

    @property
    def _names(self) -> list[tuple[Factor, str]]:
        return [(f, symbol_name(f.name)) for f in self.system.product.factors]

    @property
    def work(self) -> str:  # type: ignore[override]
        """What the generalised forces are, as an equation: of the factors on which forces act."""
        acting = None if callable(self.system.forces_given) else [name for name, _ in self.acting()]
        terms = []
        for f, z in self._names:
            if acting is None or f"f_{{{z}}}" in acting:
                way = rf"\eta_{{{z}}}" if isinstance(f, Attitude) else rf"\delta {z}"
                terms.append(rf"f_{{{z}}} \cdot {way}")
        turned = any(isinstance(f, Attitude) for f in self.system.product.factors)
        return rf"\delta W = {' + '.join(terms) or '0'}" + (r", \quad \delta R = R \hat\eta" * turned)

    def acting(self) -> list[tuple[str, sp.Matrix]]:
        """Names and vectors of the forces that are not zero."""
        pairs = zip(self._names, self.system.forces_given, strict=True)
        return [(f"f_{{{z}}}", f) for (_, z), f in pairs if any(f)]

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        rate = "u" if self.system.frame_rate is not None else r"\dot z"
        return self.plain(r"\ell"), [(1, f"K(z, {rate})"), (-1, "V(z)")]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion."""
        turns = self.system.frame_rate is not None
        forced = self.system.forced
        lines: list[Line] = []
        for f, z in self._names:
            rate = f"u_{{{z}}}" if turns else rf"\dot {z}"
            slope = rf"\frac{{\partial K}}{{\partial {rate}}}"
            E = rf"\frac{{d}}{{dt}} {slope}" + (rf" + w \times {slope}" if turns else "")
            E += rf" - \frac{{\partial}}{{\partial {z}}} (K - V)"
            left, force = E, f"f_{{{z}}}" if forced else "0"
            if isinstance(f, Attitude):
                left, force = rf"\bigl({z}^T E - E^T {z}\bigr)^\vee", rf"{force}, \quad E = {E}"
            elif isinstance(f, Direction):
                left, force = rf"{z} \times \Bigl({E}\Bigr)", rf"{z} \times {force}" if forced else "0"
            lines.append((self.plain(left), self.plain(force)))
        return lines

    def inertia(self) -> list[Line]:
        """The kinetic energy, and the rates that it is of in a frame that turns."""
        energy = read_scalar("kinetic", self.system.arguments["kinetic"])
        if self.system.frame_rate is None:
            return [(self.plain("K"), self.pieces(energy))]
        rates = {s: sp.Symbol(f"u_{z}", real=True) for f in self.system.product.factors for s, z in _seen(f)}
        return [
            (self.plain("K"), self.pieces(energy.xreplace(rates))),
            (self.plain("u"), self.plain(r"\dot z + w \times z")),
            (self.plain("w"), self.plain(self.column(self.system.frame_rate))),
        ]


def _seen(f: Factor) -> list[tuple[sp.Symbol, str]]:
    """Symbols of rates, and labels of what they are rates of."""
    return list(zip(f.rate, f.labels, strict=True))
