"""The public description of a mechanism: its data, and what is derived from it at a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from geoctrl._calls.long_calls import long_call
from geoctrl._printing.printed_lines import WIDTH as COLUMNS
from geoctrl._printing.printed_lines import full_text, on_one_page, short_form
from geoctrl._scalars import shown
from geoctrl.errors import DescriptionError, InputError, UnitsError
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.imported import Imported
from geoctrl.systems.jumps.hybrid_system import HybridSystem, hybrid_system, read_jumps, read_modes
from geoctrl.systems.parts.families import Equilibrium
from geoctrl.systems.parts.reference_error import seen_from_reference
from geoctrl.systems.printing.program_text import program_text
from geoctrl.systems.printing.summary_page import mechanism_lines, mechanism_page
from geoctrl.systems.reduced import ReducedSystem, reduced_system
from geoctrl.systems.typesetting.notebook import WIDTH, displayed_formula, rows
from geoctrl.systems.units.unit_change import UnitChange, change_of, changed_mechanism
from geoctrl.systems.wheels import spread_rotors

__all__ = ["EulerPoincare"]


@dataclass(frozen=True, eq=False, repr=False)
class EulerPoincare(Mechanism):
    r"""A mechanism on a Lie group with advected parameters, shape and nonholonomic constraints.

    The reduced Lagrangian is

    .. math:: \ell(\xi, \Gamma) = \tfrac12 \xi \cdot G(\Gamma)\,\xi + A(\Gamma) \cdot \xi - U(\Gamma)

    and the motion satisfies, with multipliers :math:`\lambda_a`,

    .. math::

        \frac{d}{dt} \frac{\partial \ell}{\partial \xi} = \mathrm{ad}^*_\xi \frac{\partial \ell}{\partial \xi}
        + \mathbf K\Bigl(\frac{\partial \ell}{\partial \Gamma}, \Gamma\Bigr) + F + \lambda_a \psi^a(\Gamma),
        \qquad \dot\Gamma = -\xi \Gamma, \qquad \langle \psi^a(\Gamma), \xi \rangle = 0

    ([GO] Prop. 7, with a gyroscopic covector A, Gamma-dependent inertia and forces added). Coordinates r of
    the shape are further entries of :math:`\Gamma`, their rates of :math:`\xi`: their equations
    are those of Lagrange, :math:`\frac{d}{dt}\frac{\partial\ell}{\partial\dot r} =
    \frac{\partial\ell}{\partial r} + F_r + \lambda_a \psi^a_r`.

    Parameters
    ----------
    algebra : LieAlgebra, optional
        Of the group; its ``xi`` are the velocity symbols. Without one the mechanism has coordinates alone.
        The description made has in ``algebra`` that of all n velocities, those of the group followed by the
        rates of the coordinates, and in ``group`` what was given.
    advected : sequence of AdvectedVector, AdvectedParameter or Height
        May be empty.
    shape : sequence of Coordinate
        Coordinates beside the group, states after the advected ones. Wherever advected symbols may stand
        below, theirs may as well; rates go by ``name_dot``.
    quasicoordinates : sequence of Quasicoordinate
        Functions of the configuration known by their rates, states after the coordinates. Inertia, potential
        and whatever may hold coordinates may hold them, but frames, constraints and leaf relations.
    inertia : n x n symmetric matrix in advected symbols and parameters
        With rotors the locked inertia (rotors included).
    potential : expression in advected symbols
    gyroscopic : covector of length n in advected symbols, optional
        With s rotors of n + s entries, theirs last; with n alone a GyroscopicWarning says what may lack.
    lagrangian : expression in ``algebra.xi`` and advected symbols, optional
        Instead of inertia, potential and gyroscopic; must be quadratic in xi.
    constraints : rows of length n in advected symbols, or mapping name -> row, optional
        A row's name is that of its multiplier among the reactions.
    frame : n x k (or n x n) matrix in advected symbols, optional
        Columns span the kernel of the constraints (further columns, a complement, are ignored by
        the motion). None: made from the constraints.
    velocities : sequence of k names, optional
        Labels of the quasivelocities of a given frame; ``v1 .. vk`` by default.
    symmetry : Axis, optional
        Nothing changes when the body turns about it; see `ReducedSystem.despun`. The momentum about it is
        offered as an invariant.
    leaf : sequence of expressions, or mapping name -> expression, each zero along motions
        A bare coordinate (``Gamma1``) is removed from the state, and so is a `Height` that a relation gives
        as a function of the rest. Runs report the others by these names; without one, by the text where that
        is short, else by ``leaf1``, ``leaf2`` and so on.
    tree : Tree, optional
        Links and joints instead of algebra, inertia and shape: accelerations come from recursions along it,
        ``inertia`` and ``potential`` (of gravity and springs, with what is given) are made in symbols when
        they are asked for. Advected vectors, friction and sides of the domain that are given join those of
        the joints.
    rotors : Rotors, optional
        Coupling and inertia may depend on advected symbols and coordinates.
    wheels : sequence of Wheel
        Instead of rotors, one by one: the description made has in ``rotors`` what they come to.
    forces : n expressions in xi, advected symbols, inputs and ``time``, optional
        Generalised force F in s*: its power is ``F . xi``. It may hold `reaction`, as an affine function.
    friction : sequence of Friction
        Forces against velocities, besides ``forces``.
    inputs : sequence of names or symbols used in ``forces``
        For a name, the symbol of that name in forces and outputs, ``sympy.Symbol(name)`` or a real one.
    feedback : mapping of input label -> expression in reduced or full symbols, optional
        Closes an input (a rotor torque as well): it is no input of the system any more.
    controller : mapping of label -> rate in reduced or full symbols, optional
        States of a dynamic feedback, the last of the system. Feedback, forces, outputs, invariants, other
        rates and the gyroscopic covector may depend on them; open inputs must not enter the rates.
    invariants : mapping name -> expression in reduced or full symbols
    parameters : sequence of Parameter
    parameter_sets : mapping name -> {parameter: value}
        Complete or partial sets named after their publication.
    equilibria : mapping name -> Family
    contact : three expressions in advected symbols, optional
        Body-fixed components of the vector from the frame's origin to the point of contact.
    reactions : mapping name -> n entries in advected symbols, optional
        Velocities along which forces of the constraints are reported, `ReducedSystem.reactions`: that of the
        point of contact along the normal of a plane, say.
    domain : mapping name -> inequality, optional
        In advected symbols, coordinates, velocities, parameters and `reaction`: where the model holds. Runs
        end at its edge, and points outside are refused.
    outputs : mapping label -> expression in reduced or full symbols, optional
        Signals reported with every trajectory (the torque of a closed loop, say).
    picture : sequence of Solid, optional
        What the mechanism looks like in scenes of its runs, `geoctrl.viz.scene`.
    indefinite : bool
        Whether the inertia may have negative eigenvalues, as that of a controlled Lagrangian may. Else it
        must be positive semidefinite, judged at every set of parameters that the system is used with.
    view_of : EulerPoincare, optional
        The mechanism that this one is another view of (`ReducedSystem.despun`); what that one promises is
        judged as well wherever numbers are used.
    source : str
        Where the mechanism is taken from.
    name : str
    imported : Imported, optional
        What a model file says beside the mechanism (`from_mjcf`); None of a description of one's own.
    modes : mapping of mode -> names of constraint rows, optional
        Rows that are in force in each mode of a mechanism that jumps; one mode with all of them by default.
    seen_from : sequence of SteadyFrame, optional
        Axes that what is advected is seen from, where these are not those of space: made by `configuration`.
    jumps : sequence of Impact and Jump, optional
        What happens at once: impacts, which follow from the inertia, and resets that are given. `hybrid`
        makes of them a system that runs through them.

    Raises
    ------
    TypeError, InputError
        For an entry of another kind than it must be.
    DescriptionError
        If shapes do not fit, the inertia is not symmetric, the Lagrangian is not quadratic, or an
        expression holds a symbol that is not declared.
    ConstraintError, FrameError
        If rows of the constraints or columns of the frame have the wrong length.
    ParameterError
        If parameter names repeat or coincide with a label.

    Examples
    --------
    >>> import sympy as sp, geoctrl as gc
    >>> I1, I2, I3 = (gc.Parameter(f"I{i}", v, positive=True) for i, v in ((1, 1.0), (2, 2.0), (3, 2.5)))
    >>> body = gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(I1.symbol, I2.symbol, I3.symbol),
    ...                         parameters=[I1, I2, I3], name="free body")
    >>> body.reduce().state_labels
    ('Omega1', 'Omega2', 'Omega3')
    """

    def __post_init__(self) -> None:
        for name, value in spread_rotors(self).items():
            object.__setattr__(self, name, value)
        super().__post_init__()
        object.__setattr__(self, "jumps", read_jumps(self.jumps))
        object.__setattr__(self, "modes", read_modes(self.modes, self.row_names, self.algebra.n))
        if not (self.imported is None or isinstance(self.imported, Imported)):
            raise TypeError(f"imported must be a gc.Imported, got {shown(self.imported)}")

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Limits of inputs by label: of the model file that it is read from, and of supplies of motors."""
        given = {} if self.imported is None else self.imported.limits
        return {**given, **({} if self.rotors is None else self.rotors.supplies(self.defaults))}

    def __repr__(self) -> str:
        return on_one_page(mechanism_lines(self))

    def _lines(self) -> list[str]:
        return mechanism_page(self, width=COLUMNS).split("\n")

    full = full_text
    __str__ = short_form

    def _repr_latex_(self) -> str:
        def parts(budget: float) -> str:
            latex = self.reduce().latex
            return rows([latex(part, WIDTH, budget / 2) for part in ("lagrangian", "constraints")])

        return displayed_formula(parts)

    def as_code(self) -> str:
        """A program that builds an equal description: one link a line, then inputs, forces and the rest.

        Numbers are written as the rationals that they are, so that rates of both are equal to the last bit.

        Raises
        ------
        DescriptionError
            If the mechanism is not made of links (``tree=``), or has entries beside these that are not
            written: constraints, rotors, feedback and the like.

        Examples
        --------
        >>> import geoctrl as gc
        >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=2, centre=(0, 0, 1))
        >>> program = gc.EulerPoincare(tree=gc.Tree([rod])).as_code()
        >>> "gc.Link('rod', joint=gc.Hinge('q', axis=(0, 1, 0)), mass=2" in program
        True
        """
        return program_text(self)

    @long_call
    def reduce(
        self,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> ReducedSystem:
        """The reduced equations of motion (remembered: the same object at every call).

        Parameters
        ----------
        progress : bool or callable
            Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
            terminal after two seconds, with True from the start.
        seconds : float, optional
            Time for the call; `BudgetError` where it is not done within it.

        Raises
        ------
        ConstraintError
            If constraint rows are dependent, a leaf relation has a vanishing gradient or is not kept
            by the motion, or reference vectors of one factor are parallel.
        FrameError
            If the frame violates the constraints or is singular.
        DescriptionError
            If the inertia has a negative eigenvalue and is not declared ``indefinite``, or something
            changes when the body turns about its declared ``symmetry`` axis.
        SingularMassError
            If the reduced mass matrix is singular at a generic state.
        """
        if len(self.rows_in_force) > 1:
            names = ", ".join(self.rows_in_force)
            first = next(iter(self.rows_in_force))
            raise DescriptionError(
                f"the mechanism has the modes {names}, each with equations of its own: take "
                f"mech.hybrid().modes[{first!r}]"
            )
        return reduced_system(self.in_mode(next(iter(self.rows_in_force))))

    @property
    def rows_in_force(self) -> dict[str, tuple[str, ...]]:
        """Names of the constraint rows in force by mode; a single mode without a name is "motion"."""
        if self.modes is None:
            return {"motion": self.row_names}
        return {mode: tuple(names) for mode, names in self.modes.items()}

    def in_mode(self, mode: str) -> EulerPoincare:
        """The mechanism with the rows of one mode alone, which does not jump: itself if these are all.

        Raises
        ------
        InputError
            If there is no mode of that name.
        """
        if not isinstance(mode, str) or mode not in self.rows_in_force:
            raise InputError(f"there is no mode {shown(mode)}; modes are {', '.join(self.rows_in_force)}")
        names = self.rows_in_force[mode]
        if set(names) == set(self.row_names) and len(self.rows_in_force) == 1:
            return self
        rows = {name: row for name, row in (self.named_rows or {}).items() if name in names}
        title = f"{self.name}, {mode}" if self.name else mode
        return self.replace(constraints=rows or None, modes=None, jumps=(), name=title)

    @long_call
    def hybrid(
        self,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> HybridSystem:
        """The modes with the jumps between them (remembered: the same object at every call).

        Parameters
        ----------
        progress : bool or callable
            As of `reduce`.
        seconds : float, optional
            Time for the call; `BudgetError` where it is not done within it.

        Returns
        -------
        HybridSystem

        Raises
        ------
        DescriptionError
            If there are no jumps, a guard is changed by no state, or a reset leaves a state undefined; else
            as `reduce` for each mode.
        InputError
            If a jump names a mode, a row, a state or a label that does not exist, or a restitution is
            outside 0 to 1.
        ConstraintError
            If rows that are struck are not independent, or at states on the guard what an impact leaves is no
            motion of the mode that is entered: named anew it is off the leaf, or has another energy.
        ExpressionError
            If an expression holds an unknown symbol.

        Examples
        --------
        A ball that keeps four fifths of its speed when it meets the ground:

        >>> import geoctrl as gc
        >>> z = gc.Coordinate("z", unit="m")
        >>> ball = gc.EulerPoincare(
        ...     algebra=None, shape=[z], inertia=[[1]], potential=9.81 * z.symbol,
        ...     jumps=[gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=0.8)])
        >>> run = gc.simulate(ball.hybrid(), 10.0, [0, 1])
        >>> run.status
        "jumps 'bounce' accumulate at t = 4.06371276887"
        """
        return hybrid_system(self)

    def configuration(self, *, frame_rate: Any = 0, frame_velocity: Any = None, of: int = 1) -> EulerPoincare:
        r"""The mechanism with its configuration among the states, seen from a frame that moves steadily.

        With :math:`g_d = \exp(t\,\xi_d)` the error :math:`e = g_d^{-1} g` obeys :math:`\dot e = e\,\hat\xi -
        \hat\xi_d\,e`: in the plane, by its angle :math:`\phi` and place p,

        .. math:: \dot\phi = \Omega - \omega_d, \qquad \dot p = R(\phi)\, Y - Y_d - \omega_d\, (-p_2, p_1),

        and in space, by its attitude E and place,

        .. math:: \dot E = E\,\hat\Omega - \hat\omega_d\,E, \qquad \dot p = E\,Y - Y_d - \omega_d \times p,

        so that the motion along the group is a point of rest, with :math:`\xi = \xi_d` and e = 1. Rows of E
        are vectors that the leaf knows as others that are advected. Of these the frame may turn none; one
        along an axis of it is a row of E itself, and a height along that an entry of p, above the frame.

        Parameters
        ----------
        frame_rate : number or expression in parameters, in space three of them
            :math:`\omega_d` (rad/s), in axes of the frame.
        frame_velocity : sequence of as many numbers or expressions as the factor has velocities, optional
            :math:`Y_d` (m/s) of the frame's origin, in its axes; zero by default.
        of : int
            Factor of the group, from 1 on.

        Returns
        -------
        EulerPoincare
            With the states ``turn_error`` (rad) and ``place_error1``, ``place_error2`` (m), of another factor
            than the first with its number behind; in space ``turn_error11`` to ``turn_error33`` and
            ``place_error1`` to ``place_error3``, less those that there are already, of another factor
            ``turn_error_2_11`` and ``place_error1_2``. Without declared equilibria, which were of other
            states.

        Raises
        ------
        DescriptionError
            If the factor is known by brackets alone, or is seen from a frame already; if the frame turns or
            moves something that stands still and that the equations hold, which is named; if a name is taken,
            or a symbol is no parameter.
        InputError
            If there is no such factor, a rate or a velocity has another length, or R^n is to turn.

        Examples
        --------
        A car in a bend of 2 m at 1 m/s: heading and place on the circle are held, and the speed.

        >>> import geoctrl as gc, sympy as sp
        >>> drive, steer = sp.symbols("drive steer", real=True)
        >>> car = gc.EulerPoincare(
        ...     algebra=gc.se2(), inertia=sp.diag(sp.Rational(3, 10), 2, 2), constraints=[[0, 0, 1]],
        ...     forces=[steer, drive, 0], inputs=[drive, steer], name="car")
        >>> turning = car.configuration(frame_rate=0.5, frame_velocity=[1, 0]).reduce()
        >>> law = gc.lqr(turning, turning.state(Omega=0.5, Y1=1))
        >>> gc.certify(law.closed_loop(), law.equilibrium).verdict.name
        'PROVED_ASYMPTOTICALLY_STABLE'

        A top that turns about the vertical has its direction as the third row of E:

        >>> top = gc.models.get("heavy-top")().configuration(frame_rate=[0, 0, 2])
        >>> top.reduce().state_labels[3:8]
        ('Gamma1', 'Gamma2', 'Gamma3', 'turn_error11', 'turn_error12')
        """
        return self.replace(**seen_from_reference(self, frame_rate, frame_velocity, of))

    def equilibrium(
        self, name: str, params: Mapping[str, float] | None = None, **values: float
    ) -> Equilibrium:
        """Member of a declared family of equilibria; see `ReducedSystem.equilibrium`."""
        return self.reduce().equilibrium(name, params=params, **values)

    def in_units(
        self, mass: Any = 1, length: Any = 1, time: Any = 1, current: Any = 1
    ) -> tuple[EulerPoincare, UnitChange]:
        """The same mechanism in other units, and what becomes of numbers.

        Numbers of parameters, of their sets and of references of what is advected are multiplied exactly.

        Parameters
        ----------
        mass, length, time, current : positive numbers
            What numbers of masses and so on are multiplied by: ``length=1000`` gives lengths in mm. A double
            counts as the decimal that it is written as, 0.001 as 1/1000.

        Returns
        -------
        EulerPoincare, UnitChange

        Raises
        ------
        UnitsError
            As `check_units`; also if the unit of a parameter, a state or an input is not determined, and for
            a closed loop: units of gains are not told.
        InputError
            For what is no positive number.

        Examples
        --------
        >>> import geoctrl as gc
        >>> cart, change = gc.models.get("cart-pendulum")().in_units(length=1000, time=1000)
        >>> round(float(cart.defaults["l"])), cart.reduce().units()["x_dot"]
        (215, 'm/s')
        >>> change.time(2.0), change.states["x_dot"]
        (2000.0, Fraction(1, 1))
        """
        if self.jumps:
            raise UnitsError(
                "guards and resets of jumps hold numbers whose units nothing tells; change the units of the "
                "mechanism without jumps=, and give it these in the new ones"
            )
        system = self.reduce()
        change = change_of(system, {"mass": mass, "length": length, "time": time, "current": current})
        return changed_mechanism(self, change, system.measures), change
