"""Geometry of pictures, without a word in them: what a template needs to draw, in whole numbers.

Across, a picture has WIDTH units and is as wide as the page lets it be; down, a unit is a CSS pixel and y grows
downwards, as in SVG. Values are what they are elsewhere: points in 1/1000 pt, places from 1.
"""
