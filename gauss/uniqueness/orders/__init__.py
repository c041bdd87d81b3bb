"""What derivatives of the rows of orders 2, 3, 4 and beyond demand of velocity and acceleration."""
