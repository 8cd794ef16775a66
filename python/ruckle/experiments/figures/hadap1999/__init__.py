"""The figures of Hadap et al., Animating Wrinkles on Clothes, 1999, drawn from our data."""
