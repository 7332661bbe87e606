"""The six examples of the paper on variational integrators on two-spheres, compared with its numbers.

[LLM09] is T. Lee, M. Leok, N. H. McClamroch, Lagrangian mechanics and variational integrators on two-spheres,
Int. J. Numer. Meth. Engng 79 (2009) 1147-1174. Each example runs with the paper's parameters and initial
values, by the variational method and by the Runge-Kutta method of the paper. Printed are the
mean errors, ``published | computed``, and why they differ where they do; figures show energy and unit length.

    python -m studies.two_spheres --out results/two_spheres
"""
