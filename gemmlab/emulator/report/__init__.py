"""What a run says of itself: findings, counters, and what the kernel printed."""
