"""Systems on products in LaTeX."""

from __future__ import annotations

from geoctrl.manifolds.display import Line, ManifoldDisplay
from geoctrl.manifolds.reading import read_scalar

__all__ = ["ProductDisplay"]


class ProductDisplay(ManifoldDisplay):
    """The parts of a system on a product."""

    potential = "V"

    @property
    def work(self) -> str:  # type: ignore[override]
        """What the generalised forces are, as an equation."""
        terms = [_WORK[f.kind].format(i=i) for i, f in enumerate(self.system.product.factors, 1)]
        return rf"\delta W = {' + '.join(terms)}"

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        return self.plain(r"\ell"), [(1, r"K(z, \dot z)"), (-1, "V(z)")]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, factor by factor."""
        force = " - f_{i}" if self.system.forced else ""
        lines: list[Line] = []
        for i, f in enumerate(self.system.product.factors, 1):
            name = f.name
            E = rf"\frac{{d}}{{dt}} \frac{{\partial K}}{{\partial \dot {name}}}"
            E += rf" - \frac{{\partial}}{{\partial {name}}} (K - V)"
            left = _EQUATION[f.kind].format(E=E + (force.format(i=i) if f.kind < 2 else ""), z=name)
            right = f"f_{{{i}}}" if f.kind == 2 and self.system.forced else "0"
            lines.append((self.plain(left), self.plain(right)))
        return lines

    def inertia(self) -> list[Line]:
        """The kinetic energy."""
        return [(self.plain("K"), self.pieces(read_scalar("kinetic", self.system.arguments["kinetic"])))]


_WORK = {
    0: r"f_{{{i}}} \cdot \delta x_{{{i}}}",
    1: r"f_{{{i}}} \cdot \delta q_{{{i}}}",
    2: r"f_{{{i}}} \cdot \eta_{{{i}}}",
}
_EQUATION = {
    0: r"{E}",
    1: r"{z} \times \Bigl({E}\Bigr)",
    2: r"\Bigl({z}^T E - E^T {z}\Bigr)^\vee, \quad E = {E}",
}
