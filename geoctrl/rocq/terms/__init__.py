"""Expressions as the library in Rocq has them: derivatives, normal forms, identities, jets at a point."""
