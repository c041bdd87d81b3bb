"""Robots from files: URDF, SDF and MJCF become a `Robot`, a mechanism with the names of its file; and the doctor.

>>> from pathlib import Path
>>> import gauss as g
>>> text = '''<robot name="cart"><link name="rail"/><link name="cart"><inertial><mass value="2"/>
... <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="slide" type="prismatic">
... <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/><dynamics damping="4"/></joint></robot>'''
>>> _ = Path("cart.urdf").write_text(text)
>>> robot = g.robots.load("cart.urdf")
>>> found = g.accelerate(robot, *robot.at(rates={"slide": 1.0}), u={"slide_motor": 10.0})
>>> round(found.acceleration.slide, 9)  # (10 N − 4 N s/m · 1 m/s) / 2 kg, in m/s²
3.0
"""

from gauss.robots.collision import CollisionPair, ground_pairs
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.doctor import doctor
from gauss.robots.loading import load
from gauss.robots.robot import NamedFrame, Robot, Unread
from gauss.robots.writing import write

__all__ = ["CollisionPair", "Diagnosis", "NamedFrame", "Robot", "Unread", "doctor", "ground_pairs", "load", "write"]
