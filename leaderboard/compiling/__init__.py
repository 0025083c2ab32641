"""Compiling and training: dspy's optimizers, a prober; on train questions, with recorded calls. A build never does either."""
