"""Verbs about what is fused to a product, and about the products of a language model."""
