"""Orders of warps in which a race makes C wrong: found, replayed, and told."""
