"""The parts that a mechanism is described by."""
