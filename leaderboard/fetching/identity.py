"""Who asks: the one ``User-Agent`` of every request for files and pages (a model's endpoint is asked elsewhere)."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, metadata

from leaderboard.fetching.pinned import FetchError

DISTRIBUTION = "multihop-rag-leaderboard"
CONTACT_VARIABLE = "LEADERBOARD_CONTACT"
MOST_CONTACT_CHARACTERS = 200

_PRINTABLE = re.compile(r"[\x20-\x7e]+")


class ContactError(FetchError):
    """``LEADERBOARD_CONTACT`` can't be sent in a header. The text says what was expected and found."""


def user_agent() -> str:
    """Return the value of the ``User-Agent`` header (RFC 9110 § 10.1.5).

    ``name/version``, and in brackets the project's home page where the package's metadata has one, and the contact
    that ``LEADERBOARD_CONTACT`` holds where it is set. Raises ``ContactError`` for a contact that is not printable
    ASCII of at most 200 characters.
    """
    product, home = _product()
    contact = _contact()
    remarks = [f"+{home}"] if home else []
    remarks += [f"contact: {contact}"] if contact else []
    # inside a comment these three have a meaning of their own (RFC 9110 § 5.6.5)
    comment = re.sub(r"([()\\])", r"\\\1", "; ".join(remarks))
    return f"{product} ({comment})" if comment else product


def _product() -> tuple[str, str]:
    """Return ``name/version`` and the address of the home page, "" where there is none."""
    try:
        about = metadata(DISTRIBUTION)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return DISTRIBUTION, ""
    pages = [about["Home-page"]] if "Home-page" in about else []
    for line in about.get_all("Project-URL") or []:
        label, _, address = line.partition(",")
        if label.strip().casefold() in ("homepage", "home", "repository", "source"):
            pages.append(address.strip())
    home = next((page for page in pages if re.fullmatch(r"https?://[\x21-\x7e]+", page)), "")
    return f"{DISTRIBUTION}/{about['Version']}", home


def _contact() -> str:
    contact = os.environ.get(CONTACT_VARIABLE, "").strip(" ")
    if contact and (len(contact) > MOST_CONTACT_CHARACTERS or not _PRINTABLE.fullmatch(contact)):
        raise ContactError(
            f"{CONTACT_VARIABLE}: expected an address to write to, in printable ASCII of at most "
            f"{MOST_CONTACT_CHARACTERS} characters, found {contact[:60]!r} ({len(contact)} characters). "
            "Correct the variable or unset it."
        )
    return contact
