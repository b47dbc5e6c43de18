"""One kernel, compiled and run once, and what is read off it."""
