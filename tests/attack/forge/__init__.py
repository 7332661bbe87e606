"""Changes to certificate files, and a forger who knows the checker."""
