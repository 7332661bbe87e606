"""What a problem of the search may hold, and the time that its decision may take."""
