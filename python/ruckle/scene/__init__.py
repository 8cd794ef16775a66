"""Where a camera stands and what it sees, for windows and films alike."""
