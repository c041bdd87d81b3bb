"""Joints, guides, rolling, transmissions and drivers: what holds bodies together.

A new joint is a class with its rows in `spatial_joints` or `planar_joints`. Its coordinates and their rates are entered
in `rates.MOTIONS` and `bodies.results.columns.VALUES`, what assembly holds and closes of it in `bodies.assembly`.
"""
