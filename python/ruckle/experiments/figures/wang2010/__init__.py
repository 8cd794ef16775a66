"""The figures of Wang et al., Example-Based Wrinkle Synthesis for Clothing Animation, 2010, drawn from our data."""
