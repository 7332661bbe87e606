"""Commands about laws: designed, run from a tilt, written as C, and the starts that they bring back."""
