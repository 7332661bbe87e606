"""Exceptions and warnings of geoctrl.

Whatever is raised on purpose derives from `GeoctrlError` and from the builtin that it refines, so that
``except ValueError`` in a script that knows nothing of geoctrl still catches bad input; except that
something of a wrong kind (a description where a system is needed) may be a plain TypeError.
"""

from __future__ import annotations

from typing import Any

from geoctrl._printing.user_frames import rendered_error

__all__ = [
    "BudgetError",
    "CertificateError",
    "ConstraintError",
    "ConvergenceError",
    "DependencyError",
    "DescriptionError",
    "DivisionError",
    "EquilibriumError",
    "ExpressionError",
    "FolderError",
    "FrameError",
    "GeoctrlError",
    "GradientError",
    "GyroscopicWarning",
    "ImmutableError",
    "InertiaWarning",
    "InputError",
    "LabelError",
    "LawWarning",
    "MatchingError",
    "ModelFileError",
    "ModelFileWarning",
    "ParameterError",
    "ProjectionWarning",
    "SimulationError",
    "SingularMassError",
    "UnitsError",
    "WorkerError",
]


class GeoctrlError(Exception):
    """Root of all exceptions raised by geoctrl: its words are for the user, and no traceback goes before.

    Attributes
    ----------
    key : str
        Where ``geoctrl explain KEY`` says more, of which the message tells at its end; else empty.
    """

    key: str = ""

    def __init__(self, *args: Any, key: str = "") -> None:
        if key:
            message, *others = args
            args = (f"{message} (geoctrl explain {key})", *others)
            self.key = key
        super().__init__(*args)
        self.__suppress_context__ = True

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the line that asked, and the words."""
        return rendered_error(self)


class InputError(GeoctrlError, ValueError):
    """An argument is no number, not finite, of a wrong shape, or none of the choices there are."""


class LabelError(GeoctrlError, KeyError):
    """Nothing goes by the name that was asked for."""

    __str__ = Exception.__str__  # a KeyError would show the words in quotes


class ImmutableError(GeoctrlError, AttributeError):
    """An attribute cannot be set or deleted, or is of another kind of object."""


class DivisionError(GeoctrlError, ZeroDivisionError):
    """An expression divides by what is identically zero, or a matrix has no inverse."""


class DependencyError(GeoctrlError, ModuleNotFoundError):
    """A package that is needed for this is not installed."""


class DescriptionError(GeoctrlError, ValueError):
    """A description of a mechanism contradicts itself (shape, symmetry, unknown symbol)."""


class ModelFileError(GeoctrlError, ValueError):
    """A model file cannot be read: with the line, the element, and what to do."""


class UnitsError(DescriptionError):
    """Units do not go together: two terms of one sum differ, or the text of a unit is not read."""


class ExpressionError(GeoctrlError, ValueError):
    """An expression uses a function or symbol that geoctrl cannot translate."""


class ParameterError(GeoctrlError, ValueError):
    """A parameter is unknown, missing, not finite or outside its range."""


class ConstraintError(GeoctrlError, ValueError):
    """Constraints are dependent, or a velocity, state or relation violates them."""


class FrameError(GeoctrlError, ValueError):
    """A frame violates the constraints or is singular where it is used."""


class SingularMassError(GeoctrlError, ValueError):
    """The reduced mass matrix is singular where it has to be inverted."""


class EquilibriumError(GeoctrlError, ValueError):
    """A point that should be an equilibrium is not one, or none was found.

    Attributes
    ----------
    residual : float or None
        Norm of the vector field at the point, where it was computed.
    """

    def __init__(self, message: str, residual: float | None = None, *, key: str = "") -> None:
        super().__init__(message, key=key)
        self.residual = residual


class MatchingError(GeoctrlError, ValueError):
    """Matching conditions cannot be posed or solved for the mechanism given."""


class CertificateError(GeoctrlError, ValueError):
    """A certificate file is malformed, altered, or claims what does not follow."""


class GradientError(GeoctrlError, ValueError):
    """A gradient that was given is not that of its potential."""


class ConvergenceError(GeoctrlError, RuntimeError):
    """A step could not be taken: its equations were not solved, or it left the domain of the method.

    Attributes
    ----------
    trajectory : object or None
        The part of the run that was done.
    step : int
    time : float
    residual : float
    """

    def __init__(
        self, message: str, trajectory: Any = None, step: int = 0, time: float = 0.0, residual: float = 0.0
    ) -> None:
        super().__init__(message)
        self.trajectory, self.step, self.time, self.residual = trajectory, step, time, residual


class BudgetError(GeoctrlError, TimeoutError):
    """A search in symbols needs more time than it was given, and has nothing to return."""


class SimulationError(GeoctrlError, RuntimeError):
    """A simulation could not be finished.

    Attributes
    ----------
    trajectory : Trajectory or None
        The part of the run that was done.
    """

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class FolderError(GeoctrlError, OSError):
    """A folder of results cannot be written or read, or holds those of another question."""


class WorkerError(GeoctrlError, RuntimeError):
    """Workers died, or cannot do what they were sent; what was done is kept.

    Attributes
    ----------
    result : object or None
        What was done, as the call would have returned it.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ProjectionWarning(UserWarning):
    """An input slightly off the leaf or the constraints was projected onto them."""


class InertiaWarning(UserWarning):
    """An inertia that no body can have."""


class GyroscopicWarning(UserWarning):
    """A gyroscopic term in which rotors may have a share that is not given."""


class ModelFileWarning(UserWarning):
    """What a model file says and is left out."""


class LawWarning(UserWarning):
    """A feedback law was built with a gain outside the set known to stabilise."""
