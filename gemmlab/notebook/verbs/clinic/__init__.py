"""The claims clinic: kernels as they were published, wrong, and what came with them."""
