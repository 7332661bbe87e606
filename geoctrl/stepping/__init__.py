"""What all stepping shares: what drives a run, the loop, compositions, compiled kernels, linear solvers."""
