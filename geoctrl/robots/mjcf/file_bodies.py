"""Bodies of an MJCF file: links of an outline, one for each joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from geoctrl.robots.mjcf.body_joints import element_joint, element_limits
from geoctrl.robots.mjcf.defaults import Defaults
from geoctrl.robots.mjcf.geoms import element_turn, fromto_place, has_contact, is_mesh, shape_solid
from geoctrl.robots.mjcf.settings import FileRules
from geoctrl.robots.mjcf.vocabulary import ATTRIBUTES
from geoctrl.robots.outline.body_masses import NOTHING, MassOfBody, moments, tensor, turned_tensor, union_of
from geoctrl.robots.outline.chains import chain_of_links
from geoctrl.robots.outline.exact_vectors import (
    ZERO,
    Vector,
    multiple,
    vector_sum,
)
from geoctrl.robots.outline.outline import RobotJoint, RobotOutline, Site
from geoctrl.robots.xml.attributes import number, vector, yes
from geoctrl.robots.xml.elements import Element, short
from geoctrl.systems.trees.quaternions import STILL

__all__ = ["BodyReader"]

_IN_BODY = ("inertial", "joint", "freejoint", "geom", "site", "camera", "light", "body")


@dataclass
class _Frame:
    """A frame in which elements are placed: a link of the outline, and where the body's origin is in it."""

    link: str | None
    origin: Vector = field(default_factory=lambda: ZERO)
    inherited: str | None = None
    inside: bool = False
    moves: bool = False
    """Whether a joint is between the frame and the world."""


@dataclass
class BodyReader:
    """Goes through the bodies of a file and puts links, sites and contacts into an outline."""

    settings: FileRules
    defaults: Defaults
    outline: RobotOutline
    torques: dict[str, list[Fraction]] = field(default_factory=dict)
    order: list[RobotJoint] = field(default_factory=list)
    starts: dict[str, Vector] = field(default_factory=dict)
    """Coordinates of joints in which the file draws the robot."""
    _bodies: set[str] = field(default_factory=set)

    def read_world(self, world: Element) -> None:
        """All bodies of a worldbody."""
        frame = _Frame(None, ZERO, world.get("childclass"))
        self.defaults.require(world, frame.inherited)
        self._read_sites(world, frame)
        for geom in world.all("geom"):
            if has_contact(self.defaults.with_defaults(geom, frame.inherited)):
                self.outline.contacts.append("the world")
                break
        for body in world.all("body"):
            self._read_body(body, frame)

    def _new_body(self, element: Element, name: str) -> str:
        if name in self._bodies:
            raise element.error(f"there are two bodies {short(name)!r}; rename one")
        self._bodies.add(name)
        return name

    def _read_body(self, body: Element, around: _Frame) -> None:
        body.require_attributes(ATTRIBUTES["body"])
        for child in body.children:
            if child.tag not in _IN_BODY:
                raise child.error(f"a body has no <{short(child.tag)}> that could be read")
        if number(body, "gravcomp", 0):
            raise body.error(
                "gravcomp is not read; give the force as forces= to the mechanism that is returned"
            )
        inherited = body.get("childclass") or around.inherited
        self.defaults.require(body, inherited)
        name = self._new_body(body, body.get("name") or f"body{len(self.outline.links) + 1}")
        joints = self._joints(body, name, inherited, around.inside)
        if yes(body, "mocap"):
            if joints or around.inside:
                raise body.error(
                    "a mocap body is one of the world's, and has no joint: it is moved from outside"
                )
            self.outline.leave_out("motion of mocap bodies, which stand as the file draws them", name)
        moves = around.moves or bool(joints)
        solid = self._solid(body, inherited, moves)
        place = vector_sum(vector(body, "pos", 3, (0, 0, 0)), around.origin)
        turn = element_turn(body, self.settings)
        where = f"line {body.line}"
        links = chain_of_links(name, around.link, place, turn, solid, joints, where)
        for link in links[:-1]:
            self._new_body(body, link.name)
        self.outline.links += links
        origin = multiple(Fraction(-1), joints[-1][1]) if joints else ZERO
        frame = _Frame(name, origin, inherited, True, moves)
        self._read_sites(body, frame)
        shapes = [self.defaults.with_defaults(geom, inherited) for geom in body.all("geom")]
        if any(has_contact(geom) for geom in shapes):
            self.outline.contacts.append(name)
        for child in body.all("body"):
            self._read_body(child, frame)

    def _solid(self, body: Element, inherited: str | None, moves: bool) -> MassOfBody:
        element = body.one("inertial")
        if element is not None and self.settings.from_shapes != "true":
            found = self._inertial(element)
        elif self.settings.from_shapes == "false":
            found = NOTHING
        else:
            shapes = [self.defaults.with_defaults(geom, inherited) for geom in body.all("geom")]
            if not moves and self.settings.total_mass <= 0:
                # No equation has the mass of what stands, so that a mesh's need not be known.
                shapes = [shape for shape in shapes if not is_mesh(shape)]
            solids = [shape_solid(shape, self.settings) for shape in shapes]
            found = union_of([solid for solid in solids if solid is not None])
        if found.mass < self.settings.least_mass:
            found = MassOfBody(self.settings.least_mass, found.centre, found.inertia)
        return found

    def _inertial(self, element: Element) -> MassOfBody:
        element.require_attributes(ATTRIBUTES["inertial"])
        mass = number(element, "mass")
        turn = element_turn(element, self.settings)
        if element.get("fullinertia") is not None:
            if element.get("diaginertia") is not None or turn is not STILL:
                raise element.error(
                    "fullinertia is given in the body's axes: leave out diaginertia and turns"
                )
            inertia = tensor(*vector(element, "fullinertia", 6))
        else:
            inertia = turned_tensor(moments(vector(element, "diaginertia", 3, (0, 0, 0))), turn)
        if mass < 0 or any(inertia[k][k] < 0 for k in range(3)):
            raise element.error("mass and moments of inertia must not be negative")
        return MassOfBody(mass, vector(element, "pos", 3, (0, 0, 0)), inertia)

    def _joints(
        self, body: Element, name: str, inherited: str | None, inside: bool
    ) -> list[tuple[RobotJoint, Vector, Fraction]]:
        elements = body.all("joint", "freejoint")
        found = []
        for k, element in enumerate(elements):
            default = f"{name}_joint{k + 1 if len(elements) > 1 else ''}"
            own = element.get("name") or default
            if own in self.starts:
                raise element.error(f"there are two joints {short(own)!r}; rename one")
            if element.tag == "freejoint":
                element.require_attributes(ATTRIBUTES["freejoint"])
                full = Element("freejoint", {**element.attributes, "type": "free"}, element.line)
            else:
                full = self.defaults.with_defaults(element, inherited)
            if element.get("align") == "true":
                raise element.error("align is not read: it changes the axes of the body; delete it")
            joint, start = element_joint(full, own, self.settings)
            if joint.kind == "free" and (len(elements) > 1 or inside):
                raise element.error(
                    "a free joint is the only one of its body, and the body one of the world's"
                )
            if joint.kind in ("hinge", "slide"):
                torque = element_limits(
                    full, "actuatorfrcrange", "actuatorfrclimited", self.settings.autolimits
                )
                if torque is not None:
                    self.torques[own] = torque
            found.append((joint, vector(full, "pos", 3, (0, 0, 0)), start))
            self.order.append(joint)
            if joint.kind == "free":
                self.starts[own] = [
                    *vector(body, "pos", 3, (0, 0, 0)),
                    *element_turn(body, self.settings).quaternion,
                ]
            else:
                self.starts[own] = [Fraction(1), *ZERO] if joint.kind == "ball" else [start]
        return found

    def _read_sites(self, body: Element, frame: _Frame) -> None:
        for element in body.all("site"):
            site = self.defaults.with_defaults(element, frame.inherited)
            site.require_attributes(ATTRIBUTES["site"])
            name = element.get("name")
            if name is None:
                continue
            if name in self.outline.sites:
                raise element.error(f"there are two sites {short(name)!r}; rename one")
            if site.get("fromto") is not None:
                place, turn, _ = fromto_place(site)
            else:
                place, turn = vector(site, "pos", 3, (0, 0, 0)), element_turn(site, self.settings)
            if frame.link is None:
                self.outline.leave_out("sites of the world", name)
            else:
                self.outline.sites[name] = Site(frame.link, vector_sum(place, frame.origin), turn)
