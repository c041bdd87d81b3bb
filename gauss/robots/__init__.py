"""Robots from files: URDF and MJCF become a `Robot`, a mechanism with the names of its file."""

from gauss.robots.loading import load
from gauss.robots.robot import Frame, Robot, Unread

__all__ = ["Frame", "Robot", "Unread", "load"]
