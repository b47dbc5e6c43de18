"""PTX functions become arrays of numbers, which the machine runs."""
