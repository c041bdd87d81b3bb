"""Robots from files: URDF and MJCF become a `Robot`, a mechanism with the names of its file; and the doctor."""

from gauss.robots.collision import CollisionPair
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.doctor import doctor
from gauss.robots.loading import load
from gauss.robots.robot import Frame, Robot, Unread

__all__ = ["CollisionPair", "Diagnosis", "Frame", "Robot", "Unread", "doctor", "load"]
