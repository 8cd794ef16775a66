"""Cameras and the renderer, shared by windows, notebooks and films."""
