"""The one error of the site: pages that can't be written, a build that isn't clean, a server that can't start."""

from __future__ import annotations


class SiteError(Exception):
    """Says what went wrong, where, and what to do; its text is for the reader of the terminal."""
