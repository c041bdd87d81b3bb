"""Branches that touch: where a motion meets them, how they part, and steps along one of them."""
