"""Accelerations of a tree of links in doubles, by another way: all vectors in the axes fixed in space, bodies
about their centres of mass, the inertia as the sum of J^T (m, I) J, accelerations those of points.

Links are read from the description; nothing else of the package takes part.
"""

import numpy as np


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def about(axis, angle):
    k = skew(axis)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def floats(entries, numbers):
    return np.array([float(e.subs(numbers)) for e in entries])


class TreeInSpace:
    """The tree at a configuration.

    Parameters
    ----------
    tree : gc.Tree
    pose : dict of joint name -> number, 3 x 3 turn, or (turn, place)
    numbers : dict of symbol -> number
    """

    def __init__(self, tree, pose, numbers=()):
        self.tree, numbers = tree, dict(numbers)
        self.gravity = floats(tree.gravity, numbers)
        self.at, self.axes, self.bodies = {}, {}, {}
        self.arms = {}
        for i in tree.order:
            link, j = tree.links[i], tree.parents[i]
            kind, joint = type(link.joint).__name__, link.joint
            A, P = (np.eye(3), np.zeros(3)) if j is None else self.at[j]
            R = np.array([[float(e) for e in row] for row in link.turn.matrix])
            p = floats(link.place, numbers)
            if kind == "Hinge":
                a = np.array([float(e) for e in joint.axis])
                R = R @ about(a, pose[joint.name])
                self.axes[i] = A @ R @ a
            elif kind == "Slide":
                a = np.array([float(e) for e in joint.axis])
                p = p + R @ a * pose[joint.name]
                self.axes[i] = A @ R @ a
            elif kind == "Ball":
                R = R @ pose[joint.name]
            elif kind in ("Free", "Planar"):
                turn, place = pose[joint.name]
                p, R = p + R @ place, R @ turn
            self.arms[i] = A @ p
            self.at[i] = A @ R, P + A @ p
            c, rho = floats(link.centre, numbers), floats(link.inertia, numbers).reshape(3, 3)
            m = float(link.mass.subs(numbers))
            if link.about == "joint":
                rho = rho - m * (c @ c * np.eye(3) - np.outer(c, c))
            A = self.at[i][0]
            self.bodies[i] = m, A @ c, A @ rho @ A.T
        self.armature = np.zeros(len(tree.labels))
        for i, places in tree.velocity_places.items():
            self.armature[list(places)] = float(tree.links[i].joint.armature.subs(numbers))

    def motion(self, xi):
        """Of each link (omega, v of the origin, alpha, a of the origin) at constant rates."""
        found = {}
        for i in self.tree.order:
            j, kind = self.tree.parents[i], type(self.tree.links[i].joint).__name__
            w, v, al, a = (np.zeros(3),) * 4 if j is None else found[j]
            r, rates = self.arms[i], np.asarray(xi)[list(self.tree.velocity_places.get(i, ()))]
            v2 = v + np.cross(w, r)
            a2 = a + np.cross(al, r) + np.cross(w, np.cross(w, r))
            turning, sliding, bent = np.zeros(3), np.zeros(3), np.zeros(3)
            if kind == "Hinge":
                turning = self.axes[i] * rates[0]
            elif kind == "Slide":
                sliding = self.axes[i] * rates[0]
            elif kind != "Fixed":
                A = self.at[i][0]
                if kind == "Planar":
                    own, along = np.array([0, 0, rates[0]]), np.array([rates[1], rates[2], 0])
                else:
                    own, along = rates[:3], rates[3:] if kind == "Free" else np.zeros(3)
                turning, sliding, bent = A @ own, A @ along, A @ np.cross(own, along)
            found[i] = (
                w + turning,
                v2 + sliding,
                al + np.cross(w, turning),
                a2 + 2 * np.cross(w, sliding) + bent,
            )
        return found

    def inertia(self):
        n = len(self.tree.labels)
        M = np.diag(self.armature)
        units = [self.motion(e) for e in np.eye(n)]
        for i, (m, c, rho) in self.bodies.items():
            Jw = np.array([u[i][0] for u in units]).T
            Jv = np.array([u[i][1] + np.cross(u[i][0], c) for u in units]).T
            M = M + m * Jv.T @ Jv + Jw.T @ rho @ Jw
        return M

    def needed(self, xi):
        """Forces that rates which are constant need, against gravity too."""
        n = len(self.tree.labels)
        units, at = [self.motion(e) for e in np.eye(n)], self.motion(xi)
        h = np.zeros(n)
        for i, (m, c, rho) in self.bodies.items():
            w, _, al, a = at[i]
            f = m * (a + np.cross(al, c) + np.cross(w, np.cross(w, c)) - self.gravity)
            couple = rho @ al + np.cross(w, rho @ w)
            for k, u in enumerate(units):
                h[k] += u[i][0] @ couple + (u[i][1] + np.cross(u[i][0], c)) @ f
        for i, places in self.tree.velocity_places.items():
            if len(places) in (3, 6) and type(self.tree.links[i].joint).__name__ != "Ball":
                # An armature of linear rates in the axes of the link: its momentum turns with them.
                rates, J = np.asarray(xi)[list(places)], self.armature[places[0]]
                if len(places) == 6:
                    h[list(places)[3:]] += J * np.cross(rates[:3], rates[3:])
                else:
                    h[list(places)[1:]] += J * rates[0] * np.array([-rates[2], rates[1]])
        return h

    def rates(self, xi, forces):
        return np.linalg.solve(self.inertia(), forces - self.needed(xi))

    def energy(self, xi):
        total = self.armature @ np.asarray(xi) ** 2 / 2
        for i, (w, v, _, _) in self.motion(xi).items():
            m, c, rho = self.bodies[i]
            vc = v + np.cross(w, c)
            total += m * vc @ vc / 2 + w @ rho @ w / 2 - m * self.gravity @ (self.at[i][1] + c)
        return total

    def angular_momentum(self, xi):
        """About the origin, in space."""
        total = np.zeros(3)
        for i, (w, v, _, _) in self.motion(xi).items():
            m, c, rho = self.bodies[i]
            total += rho @ w + m * np.cross(self.at[i][1] + c, v + np.cross(w, c))
        return total


def random_pose(tree, rng):
    """A configuration, by joint."""
    pose = {}
    for link in tree.links:
        kind, name = type(link.joint).__name__, link.joint.name
        q = rng.normal(size=4)
        turn = about(q[:3] / np.linalg.norm(q[:3]), q[3])
        if kind in ("Hinge", "Slide"):
            pose[name] = q[0]
        elif kind == "Ball":
            pose[name] = turn
        elif kind == "Free":
            pose[name] = turn, rng.normal(size=3)
        elif kind == "Planar":
            pose[name] = about(np.array([0, 0, 1.0]), q[3]), np.array([q[0], q[1], 0])
    return pose


def state_of(system, tree, pose, xi):
    """The state of a system with this configuration and these velocities."""
    values = dict(zip(tree.labels, xi, strict=True))
    for i, joint in tree.group_joints:
        given = pose[joint.name]
        turn, place = given if isinstance(given, tuple) else (given, None)
        for k, vector in tree.rows[i].items():
            values |= {str(s): turn[k, e] for e, s in enumerate(vector.symbols)}
        for k, height in tree.heights[i].items():
            values[height.name] = place[k]
    values |= {joint.name: pose[joint.name] for _, joint in tree.axis_joints}
    return np.array([values[label] for label in system.state_labels])
