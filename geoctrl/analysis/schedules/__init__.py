"""How near a loop stays to an equilibrium that moves with a parameter."""
