"""The commands of `gemmlab`, one file each."""
