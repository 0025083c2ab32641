"""Running cells: every question through a program, with recorded calls, to a run folder."""
