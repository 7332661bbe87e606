"""The loop over steps, the variational step and Runge-Kutta."""
