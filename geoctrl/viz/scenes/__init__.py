"""Scenes of runs that move in a browser: bodies, trails and signals in one file.

`bodies_of_runs` finds what moves and its poses, `scene` puts it together, `page` writes it as HTML with the
viewer, `still` draws one moment with matplotlib.
"""

from geoctrl.viz.scenes.scene import Scene, scene

__all__ = ["Scene", "scene"]
