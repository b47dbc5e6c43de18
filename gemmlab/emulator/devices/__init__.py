"""Several devices on one machine: each with its own memory, their kernels run by turns."""
