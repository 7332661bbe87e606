"""The snakeboard: a board on two steered wheelsets that is driven by a rotor on top of it."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, se2
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Block, Disk, Rod, Solid

__all__ = ["snakeboard"]


def snakeboard() -> EulerPoincare:
    r"""Board in the plane, axis 1 along it; wheelsets at its ends turn by phi and -phi, the rotor by psi.

    .. math::
        L = \tfrac12 m (Y_1^2 + Y_2^2) + \tfrac12 J \Omega^2 + \tfrac12 J_r (\Omega + \dot\psi)^2
        + J_w (\Omega^2 + \dot\phi^2)

    Neither wheelset slips sideways. The board gathers momentum by steering and turning the rotor in step:
    ``reduce().connection()`` has the connection and the momentum equation, which for a board with
    ``J + Jr + 2 Jw = m l^2`` (the default) and ``p = Jr sin(2 phi) psi_dot - 2 m l Y1`` reads

        pdot = 2 Jr cos(phi)^2 phi_dot psi_dot - tan(phi) phi_dot p.

    Family "coasting": straight ahead at the speed V, wheels straight.
    """
    psi = Coordinate("psi", angle=True, description="angle of the rotor against the board")
    phi = Coordinate(
        "phi", angle=True, description="angle of the wheelset behind, minus that of the front one"
    )
    parameters = (
        Parameter("m", 6.0, "kg", "mass, everything included", positive=True),
        Parameter("l", 0.2, "m", "distance from the centre to either wheelset", positive=True),
        Parameter("J", 0.016, "kg m^2", "moment of inertia of the board", positive=True),
        Parameter("Jr", 0.072, "kg m^2", "moment of inertia of the rotor", positive=True),
        Parameter("Jw", 0.076, "kg m^2", "moment of inertia of each wheelset", positive=True),
    )
    m, l, J, Jr, Jw = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    algebra = se2()
    Omega, Y1, Y2 = algebra.xi
    sine, cosine = sp.sin(phi.symbol), sp.cos(phi.symbol)
    turn, steer = sp.symbols("u_psi u_phi", real=True)
    V = sp.Symbol("V", real=True)
    return EulerPoincare(
        algebra=algebra,
        shape=[psi, phi],
        lagrangian=(
            m * (Y1**2 + Y2**2)
            + J * Omega**2
            + Jr * (Omega + psi.rate) ** 2
            + 2 * Jw * (Omega**2 + phi.rate**2)
        )
        / 2,
        constraints={
            "wheels behind": [-l * cosine, -sine, cosine, 0, 0],
            "wheels in front": [l * cosine, sine, cosine, 0, 0],
        },
        # Forwards and turning in proportion, and both rates of the shape: no pole at straight wheels.
        frame=sp.Matrix([[-sine, 0, 0], [l * cosine, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]),
        velocities=["along", "psi_rate", "phi_rate"],
        forces=[0, 0, 0, turn, steer],
        inputs=[turn, steer],
        equilibria={"coasting": Family({"along": V / l}, symbols=[V])},
        parameters=parameters,
        source=(
            "A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden and R. M. Murray, Nonholonomic mechanical "
            "systems with symmetry, Arch. Rational Mech. Anal. 136 (1996), section 8.4; J. P. Ostrowski, "
            "A. D. Lewis, R. M. Murray and J. W. Burdick, Nonholonomic mechanics and locomotion: the "
            "snakeboard example, IEEE Conf. Robotics and Automation 1994"
        ),
        picture=[
            Solid("board", [Block((2 * l, l / 3, l / 12), at=(0, 0, 2 * l / 5))]),
            Solid(
                "rotor",
                [Rod((0, -l, 0), (0, l, 0), l / 20), Disk(l / 4, thickness=l / 10)],
                place=(0, 0, l / 2),
                turns=[((0, 0, 1), psi.symbol)],
                colour=ACCENT,
            ),
            *(
                Solid(
                    f"wheels {where}",
                    [
                        Rod((0, -2 * l / 5, l / 6), (0, 2 * l / 5, l / 6), l / 30),
                        *(Disk(l / 6, (0, 1, 0), (0, side * 2 * l / 5, l / 6), l / 12) for side in (1, -1)),
                    ],
                    place=(end * l, 0, 0),
                    turns=[((0, 0, 1), -end * phi.symbol)],
                    colour=DARK,
                )
                for where, end in (("behind", -1), ("in front", 1))
            ),
        ],
        name="snakeboard",
    )
