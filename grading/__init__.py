"""The instructor's package. It grades submissions against the lessons of gemmlab; it has no commands yet."""
