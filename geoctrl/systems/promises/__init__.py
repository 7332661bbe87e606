"""What a description promises, judged."""
