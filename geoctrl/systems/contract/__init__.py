"""What every system answers, and points of any system."""
