"""dspy modules, one file a system of the literature; the catalog names them by string."""
