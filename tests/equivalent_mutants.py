EQUIVALENT: dict[str, dict[str, str]] = {}
