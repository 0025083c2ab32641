"""Wikipedia as it stood at a date: its pages through the MediaWiki Action API, and what becomes of their text."""
