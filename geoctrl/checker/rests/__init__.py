"""Sets that motions do not leave, where nothing but the equilibrium stays as long as a function does not
fall: the motions of such a set tend to it.
"""
