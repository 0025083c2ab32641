"""Language models: providers that answer, and the engine that puts the call store around them."""
