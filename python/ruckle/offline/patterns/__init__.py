"""Pattern making: waves of noise, drawn strokes, and the wrinkle paths of an animation."""
