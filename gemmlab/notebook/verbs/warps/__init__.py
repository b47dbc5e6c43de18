"""What a warp asks of memory."""
