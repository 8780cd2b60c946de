"""Geometry of charts in whole numbers, without text.

Horizontally WIDTH units fill the page; vertically a unit is a CSS pixel and y grows downwards. Points in 1/1000 pt,
placements from 1.
"""
