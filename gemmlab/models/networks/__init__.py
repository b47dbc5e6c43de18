"""Products as neural networks have them: their shapes, and what is fused to them."""
