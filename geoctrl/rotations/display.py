"""Systems on rotations in LaTeX."""

from __future__ import annotations

from geoctrl.manifolds.views.latex_of_systems import Line, ManifoldDisplay, matrix
from geoctrl.systems.typesetting.typesetting import Piece

__all__ = ["RotationDisplay"]


class RotationDisplay(ManifoldDisplay):
    """The parts of a system on rotations."""

    potential = "U"
    work = r"\delta W = \sum_i f_i \cdot \eta_i, \quad \delta R_i = R_i \hat\eta_i"

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        linear = r" + a_i \cdot \Omega_i" if self.system.kinetic.linear else ""
        inner = rf"\tfrac12 \Omega_i \cdot \mathbb{{J}}_i \Omega_i{linear}"
        return self.plain(r"\ell"), [
            (1, rf"\sum_i \bigl({inner}\bigr)" if linear else rf"\sum_i {inner}"),
            (-1, "U(R)"),
        ]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, the same for all bodies."""
        system = self.system
        turning = system.frame_rate is not None
        rate = r"R_i (\Omega_i - R_i^T w)\hat{\ }" if turning else r"R_i \hat\Omega_i"
        slope = r"(R_i^T G_i - G_i^T R_i)^\vee"
        right: list[Piece] = [(1, r"\mathbb{J}_i \Omega_i \times \Omega_i"), (-1, slope)]
        G = r"\frac{\partial U}{\partial R_i}"
        if system.kinetic.linear:
            right = [(1, r"(\mathbb{J}_i \Omega_i + a_i) \times \Omega_i"), (-1, r"\dot a_i"), (-1, slope)]
            G = r"\frac{\partial}{\partial R_i} \Bigl(U - \sum_j a_j \cdot \Omega_j\Bigr)"
        if system.has_forces:
            right.append((1, "f_i"))
        return [
            (self.plain(r"\dot R_i"), self.plain(rate)),
            (self.plain(r"\mathbb{J}_i \dot\Omega_i"), right),
            (self.plain("G_i"), self.plain(G)),
        ]

    def inertia(self) -> list[Line]:
        """What the inertias are, and what is linear in velocities."""
        system = self.system
        lines: list[Line] = []
        for i, J in enumerate(self.few(system.own_arguments["inertias"]), 1):
            if J.is_diagonal():
                text = rf"\mathrm{{diag}}({', '.join(map(self.text, J.diagonal()))})"
            else:
                text = matrix([[self.text(e) for e in row] for row in J.tolist()])
            lines.append((self.plain(rf"\mathbb{{J}}_{{{i}}}"), self.plain(text)))
        for i, a in enumerate(self.few(system.kinetic.linear), 1):
            lines.append((self.plain(f"a_{{{i}}}"), self.plain(self.column(a))))
        if system.frame_rate is not None:
            lines.append((self.plain("w"), self.plain(self.column(system.frame_rate))))
        return lines
