"""Systems on spheres in LaTeX."""

from __future__ import annotations

from geoctrl.manifolds.views.latex_of_systems import FEW, Line, ManifoldDisplay, matrix
from geoctrl.spheres.mass import mass_expression

__all__ = ["SphereDisplay"]


class SphereDisplay(ManifoldDisplay):
    """The parts of a system on spheres."""

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
        varies = self.system.inertia_varies
        f = "f_i - " if self.system.has_forces else "-"
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
        M = mass_expression(system.own_arguments["mass"])
        if M.is_diagonal() and len(set(M.diagonal())) == 1:
            return [(self.plain("m_{ii}"), self.pieces(M[0, 0])), *self._no_coupling()]
        if system.n > FEW:
            return [(self.plain("m_{11}"), self.pieces(M[0, 0]))]
        return [(self.plain("m"), self.plain(matrix([[self.text(e) for e in row] for row in M.tolist()])))]

    def _no_coupling(self) -> list[Line]:
        return [(self.plain("m_{ij}"), self.plain(r"0 \quad (i \ne j)"))] if self.system.n > 1 else []
