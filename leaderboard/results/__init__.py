"""Runs on disk: records, calls and retrievals of a cell, with the file that says where they came from."""
