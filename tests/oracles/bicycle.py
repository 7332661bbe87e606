"""Newton's and Euler's laws of a bicycle: four rigid bodies, three hinges, two edges that do not slip.

All vectors have components in an inertial frame, x ahead, y to the right, z down; the ground is z = 0. Bodies
are the rear wheel, the rear frame, the front frame and the front wheel, each with its attitude R (body to
space; body axes are those of the space where the bicycle stands upright and straight), the velocity v of its
centre of mass and its angular velocity w. With the 24 velocities V and the 21 conditions J(R) V = 0 (five for
each hinge, three for each contact)

    m v' = m g e3 + F,    J0 w' + w x J0 w = T,    (F, T) = J^T lambda,    J V' = -J' V

are 45 linear equations, solved at every step. The rate J' follows the motion by a complex step. There is no
Lagrangian, no coordinate beside the attitudes, and no reduction.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.oracles.contact import hat

E1, E2, E3 = np.eye(3)
REAR, FRAME, FORK, FRONT = range(4)
STEP = 1e-30


def turn(axis, angle):
    """Rotation about a unit vector."""
    K = hat(np.asarray(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def lowest(axle, radius):
    """From the centre of a wheel to its lowest point; analytic in the axle."""
    down = E3 - axle[2] * axle
    return radius * down / np.sqrt(1 - axle[2] ** 2)


class Bicycle:
    """Numbers of a bicycle by their names in Meijaard, Papadopoulos, Ruina and Schwab (2007)."""

    def __init__(self, p):
        self.p = p
        wheel = {k: np.diag([p[f"I{k}xx"], p[f"I{k}yy"], p[f"I{k}xx"]]) for k in "RF"}
        frame = {
            k: np.array(
                [[p[f"I{k}xx"], 0, p[f"I{k}xz"]], [0, p[f"I{k}yy"], 0], [p[f"I{k}xz"], 0, p[f"I{k}zz"]]]
            )
            for k in "BH"
        }
        self.mass = np.array([p["mR"], p["mB"], p["mH"], p["mF"]])
        self.inertia = np.array([wheel["R"], frame["B"], frame["H"], wheel["F"]])
        self.radius = {REAR: p["rR"], FRONT: p["rF"]}
        # Centres of mass, and a point of the steering axis, where the bicycle stands upright.
        self.centre = np.array(
            [[0, 0, -p["rR"]], [p["xB"], 0, p["zB"]], [p["xH"], 0, p["zH"]], [p["w"], 0, -p["rF"]]]
        )
        self.axis_point = np.array([p["w"] + p["c"], 0, 0])
        self.axis = np.array([np.sin(p["lam"]), 0, np.cos(p["lam"])])
        across = np.array([np.cos(p["lam"]), 0, -np.sin(p["lam"])])
        # (first body, second body, point of the hinge, two directions across its axis)
        self.hinges = (
            (FRAME, REAR, self.centre[REAR], (E1, E3)),
            (FRAME, FORK, self.axis_point, (across, E2)),
            (FORK, FRONT, self.centre[FRONT], (E1, E3)),
        )

    # -- configurations -----------------------------------------------------------------------

    def placed(self, lean, pitch, steer):
        """Attitudes (4, 3, 3) and centres of mass (4, 3), heading along x, the rear contact at the origin."""
        body = turn(E1, lean) @ turn(E2, pitch)
        fork = body @ turn(self.axis, steer)
        R = np.array([body, body, fork, fork])
        x = np.zeros((4, 3))
        x[REAR] = -lowest(R[REAR] @ E2, self.radius[REAR])
        for a, b, point, _ in self.hinges:
            known, new = (a, b) if b != FRAME else (b, a)
            if new == REAR:
                known, new = REAR, FRAME
            x[new] = x[known] + R[known] @ (point - self.centre[known]) - R[new] @ (point - self.centre[new])
        return R, x

    def gap(self, lean, pitch, steer):
        """Depth of the front contact below the ground."""
        R, x = self.placed(lean, pitch, steer)
        return (x[FRONT] + lowest(R[FRONT] @ E2, self.radius[FRONT]))[2]

    def pitch(self, lean, steer):
        """The pitch at which both wheels touch the ground."""
        return brentq(lambda pitch: self.gap(lean, pitch, steer), -0.6, 0.6, xtol=1e-16, rtol=1e-15)

    # -- velocities ---------------------------------------------------------------------------

    def conditions(self, R):
        """J (21, 24), columns v and w of each body in turn."""
        J = np.zeros((21, 24), dtype=R.dtype)
        row = 0

        def put(body, velocity, spin):
            J[row : row + len(velocity), 6 * body : 6 * body + 3] += velocity
            J[row : row + len(velocity), 6 * body + 3 : 6 * body + 6] += spin

        for a, b, point, across in self.hinges:
            for body, sign in ((a, 1), (b, -1)):
                put(body, sign * np.eye(3), -sign * hat_of(R[body] @ (point - self.centre[body])))
            row += 3
            for direction in across:
                for body, sign in ((a, 1), (b, -1)):
                    put(body, np.zeros((1, 3)), sign * (R[a] @ direction)[None])
                row += 1
        for body, radius in self.radius.items():
            put(body, np.eye(3), -hat_of(lowest(R[body] @ E2, radius)))
            row += 3
        return J

    def rates(self, R, w):
        """Rates of lean, yaw, pitch, steer and wheels (rear: relative to the leaning plane), and the speed.

        The speed is that of the point of contact of the rear wheel along its track.
        """
        axle = R[REAR] @ E2
        heading = np.array([axle[1], -axle[0], 0]) / np.sqrt(1 - axle[2] ** 2)
        lateral = np.cross(heading, E3)
        lean = w[FRAME] @ heading
        # w = lean heading + yaw e3 + pitch axle
        pitch = (w[FRAME] @ lateral) / (axle @ lateral)
        yaw = w[FRAME][2] - pitch * axle[2]
        steer = (w[FORK] - w[FRAME]) @ (R[FRAME] @ self.axis)
        rear = (w[REAR] - w[FRAME]) @ axle + pitch
        front = (w[FRONT] - w[FORK]) @ (R[FRONT] @ E2)
        return np.array([lean, yaw, pitch, steer, rear, front, -self.radius[REAR] * rear])

    def velocities(self, R, lean_rate, speed, steer_rate):
        """V (24,) on the conditions with these rates."""
        picked = np.array(
            [
                self.rates(R, np.reshape(unit, (4, 6))[:, 3:])[[0, 6, 3]] for unit in np.eye(24)
            ]
        ).T  # fmt: skip
        rows = np.vstack([self.conditions(R), picked])
        return np.linalg.solve(rows, np.concatenate([np.zeros(21), [lean_rate, speed, steer_rate]]))

    # -- motion -------------------------------------------------------------------------------

    def accelerations(self, R, V, torque=0.0):
        """V' (24,) under gravity and a torque on the fork that the frame gives."""
        w = V.reshape(4, 6)[:, 3:]
        J = self.conditions(R)
        along = self.conditions(R + 1j * STEP * np.array([hat(s) @ Q for s, Q in zip(w, R, strict=True)]))
        M, h = np.zeros((24, 24)), np.zeros(24)
        steering = torque * (R[FRAME] @ self.axis)
        for i in range(4):
            J0 = R[i] @ self.inertia[i] @ R[i].T
            at = 6 * i
            M[at : at + 3, at : at + 3] = self.mass[i] * np.eye(3)
            M[at + 3 : at + 6, at + 3 : at + 6] = J0
            h[at : at + 3] = self.mass[i] * self.p["g"] * E3
            h[at + 3 : at + 6] = -np.cross(w[i], J0 @ w[i])
        h[6 * FORK + 3 : 6 * FORK + 6] += steering
        h[6 * FRAME + 3 : 6 * FRAME + 6] -= steering
        matrix = np.block([[M, J.T], [J, np.zeros((21, 21))]])
        return np.linalg.solve(matrix, np.concatenate([h, -(along.imag / STEP) @ V]))[:24]

    def second_rates(self, R, V, torque=0.0):
        """Rates of `rates` along the motion."""
        w = V.reshape(4, 6)[:, 3:]
        dw = self.accelerations(R, V, torque).reshape(4, 6)[:, 3:]
        dR = np.array([hat(s) @ Q for s, Q in zip(w, R, strict=True)])
        return self.rates(R + 1j * STEP * dR, w + 1j * STEP * dw).imag / STEP

    def energy(self, R, x, V):
        """Kinetic and potential energy, zero at rest on the ground."""
        v, w = V.reshape(4, 6)[:, :3], V.reshape(4, 6)[:, 3:]
        turning = sum(s @ Q @ J0 @ Q.T @ s for s, Q, J0 in zip(w, R, self.inertia, strict=True))
        return (self.mass @ np.sum(v**2, axis=1) + turning) / 2 - self.p["g"] * self.mass @ x[:, 2]

    def run(self, times, R, x, V):
        """Attitudes (nt, 4, 3, 3), centres (nt, 4, 3) and velocities (nt, 24) along the motion."""

        def field(_, y):
            Q, u = y[:36].reshape(4, 3, 3), y[48:]
            w = u.reshape(4, 6)[:, 3:]
            dR = np.array([hat(s) @ q for s, q in zip(w, Q, strict=True)])
            return np.concatenate([dR.ravel(), u.reshape(4, 6)[:, :3].ravel(), self.accelerations(Q, u)])

        start = np.concatenate([R.ravel(), x.ravel(), V])
        sol = solve_ivp(field, (times[0], times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12)
        y = sol.y.T
        return y[:, :36].reshape(-1, 4, 3, 3), y[:, 36:48].reshape(-1, 4, 3), y[:, 48:]


def hat_of(a):
    """`hat` for complex vectors."""
    zero = 0 * a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])
