"""Several motions from one state: branches of the constraint set, forces that are not Lipschitz continuous."""
