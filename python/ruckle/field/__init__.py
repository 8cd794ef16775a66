"""Deformation of the cloth: the stretch, label and reference shape of each triangle."""
