"""The processes that meet students' kernels, and the walls around them."""
