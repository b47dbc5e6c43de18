"""How threads wait for each other: barriers of a block, warp-wide instructions, and barrier objects in memory."""
