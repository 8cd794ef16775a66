"""Generation of patterns: noise waves, single strokes, and folds from the wrinkle paths of an animation."""
