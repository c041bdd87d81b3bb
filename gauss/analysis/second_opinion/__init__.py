"""A second opinion on accelerations and forces that another program has computed.

arguments    the arrays of one state or of many, each checked once
judging      one state: its Gauss problem, minimiser, forces, and what is open
record       what is found, for readers and for programs
mujoco       a state of MuJoCo as arguments of the door
check        the door
"""
