"""What wrong numbers have in common, and which slip gives them."""
