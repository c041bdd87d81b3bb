"""The contact problem of a time step, solved and certified."""
