"""An outline as a description: names, links, forces, keyframes."""
