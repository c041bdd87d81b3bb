"""Elementary functions and tables for every kind of number: floats, arrays, symbols, jets."""
