"""Arithmetic about kernels that need not exist. It draws nothing and knows no lesson."""
