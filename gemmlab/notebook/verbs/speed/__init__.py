"""How fast a kernel is and may be."""
