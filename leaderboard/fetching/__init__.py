"""Files from elsewhere: pinned by digest, fetched once, resumed where they stopped."""
