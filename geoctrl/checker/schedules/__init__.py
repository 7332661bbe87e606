"""Schedules: equilibria that a parameter moves, and how near the linear part of a loop stays.

Read in this order: `forms` (matrices of functions over boxes), `file`.
"""
