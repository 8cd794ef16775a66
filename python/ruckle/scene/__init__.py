"""Cameras and the renderer: what windows, notebooks and films share."""
