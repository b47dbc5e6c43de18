"""How a warp loads and stores: addresses, arrays and bounds, data, and what the shadows keep of it."""
