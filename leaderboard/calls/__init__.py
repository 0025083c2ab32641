"""Language-model calls: what identifies one, and the store that never asks the same twice."""
