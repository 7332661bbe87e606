"""Newton's and Euler's laws of a rolling body in its own axes, and their differential by complex steps.

All vectors have body components; n is the upward vertical, h a rotor's constant momentum in the body:

    m a - N = -m g n,     J w' - rho x N = -w x (J w + h),     a + w' x rho = -w x rho' - w x (w x rho)

with rho the contact seen from the centre of mass and rho' = (d rho/dn) (n x w). The shapes are those of
`tests.oracles.contact`. Nothing is shared with the library.
"""

import numpy as np

from tests.oracles.contact import hat


def rates(body, omega, vertical, rotor=(0.0, 0.0, 0.0)):
    """Rates of (w, n); complex arguments are welcome."""
    rho, slope = body.shape.lowest(vertical)
    turning = np.cross(vertical, omega)
    one, lever = np.eye(3), hat(rho)
    zero = np.zeros((3, 3))
    laws = np.block(
        [
            [body.mass * one, zero, -one],
            [zero, body.inertia, -lever],
            [one, -lever, zero],
        ]
    )
    right = [
        -body.mass * body.gravity * np.asarray(vertical),
        -np.cross(omega, body.inertia @ omega + np.asarray(rotor)),
        -np.cross(omega, slope @ turning) - np.cross(omega, np.cross(omega, rho)),
    ]
    return np.concatenate([np.linalg.solve(laws, np.concatenate(right))[3:6], turning])


def linearised(body, omega, vertical, rotor=(0.0, 0.0, 0.0), step=1e-30):
    """Jacobian of the rates, 6 x 6."""
    x = np.concatenate([omega, vertical]).astype(complex)
    columns = []
    for direction in np.eye(6):
        y = x + 1j * step * direction
        columns.append(np.imag(rates(body, y[:3], y[3:], rotor)) / step)
    return np.array(columns).T
