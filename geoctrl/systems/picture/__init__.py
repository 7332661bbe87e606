"""What a mechanism looks like: solids made of simple shapes, placed by expressions of its configuration."""

from geoctrl.systems.picture.shapes import Block, Disk, Ellipsoid, Rod, Shape
from geoctrl.systems.picture.solids import Solid

__all__ = ["Block", "Disk", "Ellipsoid", "Rod", "Shape", "Solid"]
