"""How the shape of a mechanism moves its group: connections and gaits."""
