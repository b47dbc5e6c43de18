"""`python -m gemmlab` is the command line."""

from gemmlab.cli import main

main()
