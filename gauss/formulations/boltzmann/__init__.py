"""The Boltzmann-Hamel equations in matrix form, and Maggi's equations from them."""
