"""The sample track: invented articles and questions in the native formats of the benchmarks."""
