"""The work of every lesson: predict, check, ask for hints, see how far one is."""
