"""Generation of patterns: waves of noise, drawn strokes, and baked wrinkle paths of an animation."""
