r"""The upward vertical from gyro and accelerometer: a complementary filter on the sphere.

With the measured rate :math:`\Omega` and a, the unit vector along the measured upward vertical,

.. math::

    \dot{\hat\Gamma} = \hat\Gamma \times (\Omega - \hat b + k_P\, a \times \hat\Gamma), \qquad
    \dot{\hat b} = k_I\, \hat\Gamma \times a .

For exact measurements and :math:`k_I = 0` the angle e between estimate and vertical obeys
:math:`\dot e = -k_P \sin e`, whatever the motion is, so that

.. math:: \tan\tfrac{e(t)}{2} = \tan\tfrac{e(0)}{2}\; e^{-k_P t} :

it vanishes from every start but the opposite one. A constant error b of the gyro leaves an angle that
ends below :math:`\arcsin(|b| / k_P)`; with :math:`k_I > 0` it is found, where motion shows all of it: a part
along the vertical of a body that does not turn is neither seen nor of effect.

R. Mahony, T. Hamel, J.-M. Pflimlin, IEEE Trans. Autom. Control 53 (2008), section V.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import sympy as sp

from geoctrl._checks import finite_array, flag, nearest, require_choice
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import STATE, exact, real, shown, to_sympy
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot
from geoctrl.algebra import AdvectedVector
from geoctrl.errors import InputError
from geoctrl.sampling.controller import Controls
from geoctrl.sampling.feedback import HOLD, Feedback
from geoctrl.sampling.filter_loop import filter_loop
from geoctrl.sampling.sensors import InertialUnit, axes_of
from geoctrl.systems import EulerPoincare, ReducedSystem, as_mechanism

__all__ = ["ComplementaryFilter", "EstimatedLaw"]


class ComplementaryFilter:
    r"""Estimates the vertical :math:`\Gamma` by what an inertial unit shows, and feeds laws with it.

    The unit shows :math:`\Omega` and the specific force :math:`f = \dot v + \Omega \times v + g\,\Gamma` of
    the point where it sits, and something else (wheels) the velocity v of that point. The vertical is
    measured along :math:`f - \Omega \times v`; without that correction it is, in a turn, the axis along which
    the body feels its weight. Components of :math:`\Gamma` that the leaf makes zero are known.

    Over a hold :math:`\hat\Gamma` is turned by the bracket times h, as an angle to within its ninth power,
    and :math:`\hat b` is summed: what is estimated of a motion that changes is first order in h.

    Parameters
    ----------
    mechanism : EulerPoincare
        With an advected vector that a body turns in space.
    gain : float
        k_P (1/s): the rate at which an error decays.
    bias_gain : float
        k_I (1/s^2), zero for no estimate of the gyro's error.
    vector : str, optional
        Name of the upward vertical; needed where several vectors are advected.
    position : sequence of 3 numbers
        Of the unit, in body axes from the origin (m).
    corrected : bool
        Whether :math:`\Omega \times v` is taken off.
    gravity : str
        The parameter that is g.
    start : sequence of 3 numbers, optional
        Direction of the first estimate, by default that of the vector in space.

    Attributes
    ----------
    labels : tuple of str
        Of the estimate, and of the gyro's error if it is estimated: states of the controller.

    Raises
    ------
    InputError
        If a gain is negative or k_P zero, there is no such vector or parameter, the vector is turned in a
        plane only, or the first estimate is no direction.
    TypeError
        If ``mechanism`` is none.

    Examples
    --------
    >>> import geoctrl as gc
    >>> mech = gc.models.get("pendulum-skate-rotor")()
    >>> law = gc.match(mech).law(sigma=-5e-6).with_damping(k=8)
    >>> fed = gc.ComplementaryFilter(mech, gain=1.0).feed(law)
    >>> fed.feedback().signals
    ('Omega1', 'Omega2', 'Omega3', 'Y1', 'f2', 'f3')
    """

    def __init__(
        self,
        mechanism: EulerPoincare,
        gain: float,
        bias_gain: float = 0.0,
        vector: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        corrected: bool = True,
        gravity: str = "g",
        start: Sequence[float] | None = None,
    ) -> None:
        self.mechanism = as_mechanism(mechanism, "an estimate of the vertical")
        self.gain, self.bias_gain = real(gain, "gain"), real(bias_gain, "bias_gain")
        if not self.gain > 0 or not self.bias_gain >= 0:
            raise InputError(
                f"gain must be positive and bias_gain not negative, got {shown(gain)} and {shown(bias_gain)}"
            )
        self.vector = self._vector(vector)
        self.corrected = flag("corrected", corrected)
        require_choice("gravity", gravity, self.mechanism.defaults)
        arm = finite_array("position", position, (3,)).tolist()
        towards = finite_array("start", self.vector.reference if start is None else start, (3,)).tolist()
        if not any(towards):
            raise InputError("start must be a direction, got zero")
        self.start = [c / math.hypot(*towards) for c in towards]
        self._spin, self._velocity = axes_of(self.mechanism.algebra, self.vector)
        self._unit = InertialUnit((), self.vector, gravity, tuple(map(exact, arm)))
        self.labels = tuple(f"{s} estimated" for s in self.vector.symbols)
        if self.bias_gain:
            self.labels += tuple(f"error of the gyro {i}" for i in (1, 2, 3))

    def _vector(self, name: str | None) -> AdvectedVector:
        turned = {
            s
            for f in self.mechanism.seen_from
            for s in f.drift(self.mechanism.advected, self.mechanism.algebra)
        }
        vectors = [a for a in self.mechanism.advected if isinstance(a, AdvectedVector)]
        known = {a.name: a for a in vectors if turned.isdisjoint(a.symbols)}
        if name is None and len(known) == 1:
            return next(iter(known.values()))
        if not isinstance(name, str) or name not in known:
            raise InputError(
                f"vector must name the upward vertical{nearest(str(name), known)}; this mechanism advects "
                f"the vectors {', '.join(known) or '-'}"
            )
        return known[name]

    def error(self, t: float, start: float) -> float:
        r"""The angle :math:`2\arctan(\tan(e_0/2)\,e^{-k_P t})` that exact measurements leave of a first one.

        Parameters
        ----------
        t : float
            Time (s).
        start : float
            e_0, between 0 and pi.

        Raises
        ------
        InputError
            Unless t >= 0 and 0 <= start < pi.

        Examples
        --------
        >>> import geoctrl as gc
        >>> flt = gc.ComplementaryFilter(gc.models.get("heavy-top")(), gain=2.0)
        >>> round(flt.error(1.0, 0.5), 4)
        0.0691
        """
        t, angle = real(t, "t"), real(start, "start")
        if not (t >= 0 and 0 <= angle < math.pi):
            raise InputError(f"t must not be negative and start lie in [0, pi), got {t:g} and {angle:g}")
        return 2 * math.atan(math.tan(angle / 2) * math.exp(-self.gain * t))

    def feed(self, law: Controls) -> EstimatedLaw:
        """A law that takes the estimate for the vertical, and velocities from gyro and wheels.

        Parameters
        ----------
        law : law
            Of a plant with this body.

        Raises
        ------
        TypeError
            If it is none.
        """
        return EstimatedLaw(law, self)

    # -- in symbols -----------------------------------------------------------------------------

    @cached_property
    def _readings(self) -> list[sp.Expr]:
        """The velocities of the algebra as they are read: what the constraints make zero is known."""
        system, algebra = self.mechanism.reduce(), self.mechanism.algebra
        nodes = zip(algebra.labels, system.assembly.xi, strict=False)
        return [sp.S.Zero if node.is_zero else sp.Symbol(label, real=True) for label, node in nodes]

    @cached_property
    def gyro(self) -> sp.Matrix:
        """Omega as it is read, less the error that is known."""
        errors = [sp.Symbol(label, real=True) for label in self.labels[3:]] or [0, 0, 0]
        return sp.Matrix(self._spin) * sp.Matrix(self._readings) - sp.Matrix(errors)

    @property
    def estimate(self) -> sp.Matrix:
        """The estimate's symbols."""
        return sp.Matrix([sp.Symbol(label, real=True) for label in self.labels[:3]])

    @property
    def upward(self) -> sp.Matrix:
        """a, of which the leaf may know a component."""
        f = sp.Matrix([sp.Symbol(label, real=True) for label in self._unit.forces])
        if self.corrected:
            v = sp.Matrix(self._velocity) * sp.Matrix(self._readings)
            f -= self.gyro.cross(
                v + self.gyro.cross(sp.Matrix([sp.Rational(r) for r in self._unit.position]))
            )
        known = {s for s, e in self.mechanism.removed.items() if e == 0}
        f = sp.Matrix([0 if s in known else e for s, e in zip(self.vector.symbols, f, strict=True)])
        return f / sp.sqrt(f.dot(f))

    def forces_in(self, plant: ReducedSystem) -> dict[str, sp.Expr]:
        """The specific force by label, in states and inputs of a plant with this body."""
        unit = self.unit({*self._unit.forces})
        return dict(zip(unit.labels, plant.to_sympy(unit.nodes(plant)), strict=True))

    def velocities(self, params: Mapping[str, float | None]) -> dict[sp.Symbol, sp.Expr]:
        """States that are velocities, from what is read and the estimate: w of the least norm of E w - xi."""
        system = self.mechanism.reduce()
        a, graph, algebra = system.assembly, system.graph, self.mechanism.algebra
        states = a.velocity[: len(system.frame.labels)]
        E = graph.jacobian(a.xi[: algebra.n], states)
        columns = list(zip(*E, strict=True))
        gram = [[dot(graph, p, q) for q in columns] for p in columns]
        named = [graph.symbol(f"reading of {label}", STATE) for label in algebra.labels]
        solved = Factorisation(graph, gram).solve([dot(graph, p, named) for p in columns])
        read = list(self._readings)
        for axis, row in zip(self.gyro - sp.Matrix(self._spin) * sp.Matrix(read), self._spin, strict=True):
            for j, entry in enumerate(row):
                if entry:
                    read[j] += axis / entry
        table = {**system.symbols, **dict(zip(named, read, strict=True))}
        numbers = {p.symbol: sp.Rational(exact(params[p.name])) for p in self.mechanism.parameters}
        found = to_sympy(solved, table)
        symbols = (system.symbols[node] for node in states)
        return {s: e.xreplace(numbers) for s, e in zip(symbols, found, strict=True)}

    @property
    def vertical(self) -> sp.Matrix:
        """The unit vector that is estimated, in states of the plant."""
        removed = self.mechanism.removed
        length = sp.sqrt(sum(sp.Rational(exact(q)) ** 2 for q in self.vector.reference))
        return sp.Matrix([removed.get(s, s) for s in self.vector.symbols]) / length

    @cached_property
    def steps(self) -> dict[str, sp.Expr]:
        """The states of the filter after a hold."""
        G, a, h = self.estimate, self.upward, HOLD
        w = self.gyro + sp.Rational(exact(self.gain)) * a.cross(G)
        # Cayley's map of s = -tan(|w| h/2) w/|w|: a rotation by |w| h, smooth where w vanishes.
        q = w.dot(w) * h**2 / 4
        s = -h / 2 * (1 + q * (sp.Rational(1, 3) + q * (sp.Rational(2, 15) + q * sp.Rational(17, 315)))) * w
        turned = G + 2 / (1 + s.dot(s)) * (s.cross(G) + s.cross(s.cross(G)))
        found = list(turned / sp.sqrt(turned.dot(turned)))
        if self.bias_gain:
            error = sp.Matrix([sp.Symbol(label, real=True) for label in self.labels[3:]])
            found += list(error + h * sp.Rational(exact(self.bias_gain)) * G.cross(a))
        return dict(zip(self.labels, found, strict=True))

    def unit(self, signals: set[str]) -> InertialUnit:
        """The sensor of those signals that are no states."""
        states = self.mechanism.reduce().state_labels
        known = (*self.mechanism.algebra.labels, *self._unit.forces)
        labels = tuple(label for label in known if label in signals and label not in states)
        return InertialUnit(labels, self.vector, self._unit.gravity, self._unit.position)

    def _lines(self) -> list[str]:
        bias = f", k_I = {self.bias_gain:g} 1/s^2" if self.bias_gain else ""
        turn = "" if self.corrected else ", not corrected by Omega x v"
        return [f"<ComplementaryFilter of {self.vector.name}: k_P = {self.gain:g} 1/s{bias}{turn}>"]

    full = full_text
    __repr__ = short_form


class EstimatedLaw(Controls):
    """A law that is fed by a filter; made by `ComplementaryFilter.feed`.

    It is run by ``sampled``; `closed_loop` is its loop in continuous time. Noise, offset and quantisation are
    by what is measured: the labels of the velocities of the algebra, ``f1`` to ``f3``, and the states that
    the filter does not give.

    Attributes
    ----------
    law : law
    filter : ComplementaryFilter

    Raises
    ------
    TypeError
        If it is not made of a law and a filter.
    """

    def __init__(self, law: Controls, filter: ComplementaryFilter) -> None:
        if not isinstance(law, Controls) or not isinstance(filter, ComplementaryFilter):
            raise TypeError(f"a filter feeds a law, got {shown(law)}")
        self.law, self.filter = law, filter

    @property
    def file_limits(self) -> Mapping[str, tuple[float, float]]:
        """Those of the law that is fed."""
        return self.law.file_limits

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers, the filter's states among its own; see `Controls.feedback`.

        Raises
        ------
        ParameterError
            For an unknown parameter, or one without a value.
        """
        given, fed = self.law.feedback(params), self.filter
        defaults = fed.mechanism.defaults
        values = {**defaults, **{k: v for k, v in (params or {}).items() if k in defaults}}
        replaced = dict(zip(fed.vector.symbols, fed.estimate, strict=True)) | fed.velocities(values)
        # Velocities hold the vertical themselves.
        vertical = dict(zip(fed.vector.symbols, fed.estimate, strict=True))
        replaced |= {s: e.xreplace(vertical) for s, e in replaced.items()}
        terms, rates = (
            {k: e.xreplace(replaced) for k, e in part.items()} for part in (given.terms, given.rates)
        )
        expressions = (*terms.values(), *rates.values(), *fed.steps.values())
        signals = {str(s) for e in expressions for s in e.free_symbols}
        begin = {**given.begin, **dict(zip(fed.labels, fed.start, strict=False))}
        sensors = (*given.sensors, fed.unit(signals))
        steps = {**given.steps, **fed.steps}
        estimates = {**given.estimates, **dict(zip(fed.labels, fed.vertical, strict=False))}
        return Feedback(terms, rates, given.rest, steps, begin, sensors, estimates=estimates)

    def closed_loop(self, ideal: bool = False) -> ReducedSystem:
        r"""Plant, law and filter as one system in continuous time, to linearise, certify and run.

        The states are the plant's and those of the law, then the estimate ``Gamma1_estimate, ...`` (by the
        vector's name) and, with k_I, the error of the gyro ``gyro_error1, ...`` (rad/s), with

        .. math::

            \dot{\hat\Gamma} = \hat\Gamma \times (\Omega - \hat b + k_P\, a \times \hat\Gamma), \qquad
            \dot{\hat b} = k_I\, \hat\Gamma \times a .

        :math:`|\hat\Gamma|^2` is an invariant of the loop; the law takes :math:`\hat\Gamma` for the vertical,
        so that a run has to start with :math:`|\hat\Gamma| = 1`, and what `certify` proves is said of such
        starts. The numbers in the law are those of its
        default parameters.

        Parameters
        ----------
        ideal : bool
            Whether a is the vertical itself, so that the estimate's error decays by itself; else
            :math:`a = f/|f|` (corrected by :math:`\Omega \times v` as the filter is), with the accelerations
            of the plant under the inputs that the law sets. What is proved of one loop says nothing of the
            other.

        Returns
        -------
        ReducedSystem
            Families are those of the plant, with :math:`\hat\Gamma = \Gamma` and :math:`\hat b = 0`.

        Raises
        ------
        InputError
            If the law reads the specific force, which its own inputs change at once; if it keeps states from
            sample to sample.
        DescriptionError
            If a name of the filter's states is taken.
        TypeError
            If ``ideal`` is neither True nor False.

        Examples
        --------
        >>> import geoctrl as gc
        >>> mech = gc.models.get("pendulum-skate-rotor")()
        >>> law = gc.match(mech).law(sigma=-5e-6).with_damping(k=8)
        >>> loop = gc.ComplementaryFilter(mech, gain=1.0).feed(law).closed_loop(ideal=True)
        >>> loop.state_labels[6:]
        ('Gamma1_estimate', 'Gamma2_estimate', 'Gamma3_estimate')
        >>> gc.linearize(loop, loop.equilibrium("sliding", Y0=1.0)).eigenvalues.real.min().round(4)
        np.float64(-1.4652)
        >>> gc.certify(loop, loop.equilibrium("sliding", Y0=1.0)).verdict
        <Verdict.PROVED_STABLE: 'PROVED_STABLE'>
        """
        return filter_loop(self, flag("ideal", ideal))

    def _lines(self) -> list[str]:
        return [repr(self.filter), repr(self.law)]

    full = full_text
    __repr__ = short_form
