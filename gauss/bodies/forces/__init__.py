"""Forces between bodies: springs, dampers, motors, bushings, belts, dry friction."""
