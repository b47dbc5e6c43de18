"""Verbs about one product on several devices: what is exchanged, how long it takes, what was recorded."""
