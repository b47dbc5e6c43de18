"""PTX as text: its grammar, and what can be told from it before it runs."""
