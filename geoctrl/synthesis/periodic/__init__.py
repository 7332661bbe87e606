"""Laws along a motion that repeats, set anew from hold to hold."""
