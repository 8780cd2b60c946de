"""Geometry of charts in integers, without text.

Horizontally, WIDTH units fill the page; vertically, a unit is a CSS pixel and y grows downwards. Points are in 1/1000
pt, placements count from 1.
"""
