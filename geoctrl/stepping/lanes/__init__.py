"""Sixteen runs at once by Dormand-Prince 8(5,3), compiled: an engine that needs numba alone."""
