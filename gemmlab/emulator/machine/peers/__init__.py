"""Several devices: what orders them, and a block that waits for another device."""
