"""Checking what the pages of a parquet file claim, before a reader believes them.

A page header that claims a negative or an immense number of values makes polars ask for 2^61 bytes, and the process
ends there: no exception can be caught. The headers are compact Thrift (Apache Parquet format, PageHeader); one stands
before each page, and polars writes each column's metadata after its pages. A footer that points elsewhere is not
caught here: the digest by which a file is pinned catches it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_MAGIC = b"PAR1"
_MAX_DEPTH = 6
_INTEGERS = (
    4,
    5,
    6,
)  # Thrift's kinds; 1 and 2 are true and false, 3 a byte, 8 a string, 9 and 10 lists, 12 a struct


class PageError(Exception):
    """A parquet file's pages aren't what they claim. The text says what was found."""


@dataclass
class _Structs:
    """The bytes between magic and footer, read struct by struct; ``numbers`` are the last one's, by field path."""

    data: bytes
    at: int
    end: int
    numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def struct(self, place: tuple[int, ...] = ()) -> None:
        if len(place) > _MAX_DEPTH:
            raise PageError(f"a struct nested too deep at byte {self.at:,}")
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if kind in _INTEGERS:
                self.numbers[(*place, number)] = self._integer()
            elif kind not in (1, 2):
                self._skip(kind, (*place, number))

    def _skip(self, kind: int, place: tuple[int, ...]) -> None:
        if len(place) > _MAX_DEPTH:
            raise PageError(f"a field nested too deep at byte {self.at:,}")
        if kind in _INTEGERS:
            self._varint()
        elif kind in (1, 2, 3):
            self._byte()
        elif kind == 8:
            length = self._varint()
            self.at += length
        elif kind in (9, 10):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            for _ in range(count):  # each takes a byte at least, so that the end comes first
                self._skip(head & 15, (*place, 0))
        elif kind == 12:
            self.struct(place)
        else:
            raise PageError(f"a field of kind {kind} at byte {self.at:,}")

    def _byte(self) -> int:
        if self.at >= self.end:
            raise PageError("a struct that runs into the footer")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise PageError(f"a number without end at byte {self.at:,}")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)


def check_pages(data: bytes, max_values: int, max_bytes: int) -> None:
    """Walk over the page headers of a whole parquet file.

    From the first magic bytes to the footer, pages and columns' metadata must follow each other without a gap; no
    number in a page's header is negative, no page has more than ``max_values`` values, and all together unfold into
    ``max_bytes`` at most. Raises PageError.
    """
    if len(data) < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise PageError("no PAR1 at its start and end")
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if footer < 4:
        raise PageError("a footer longer than the file")
    structs = _Structs(data, 4, footer)
    unfolded = 0
    while structs.at < footer:
        start = structs.at
        numbers = structs.numbers = {}
        structs.struct()
        if (2,) not in numbers:  # a column's metadata: its second field is a list
            continue
        if min(numbers.values()) < 0 or (3,) not in numbers:
            raise PageError(f"a page at byte {start:,} with a negative number or without a size")
        values = max((number for place, number in numbers.items() if place[1:] == (1,)), default=0)
        if values > max_values:
            raise PageError(f"a page at byte {start:,} that claims {values:,} values")
        unfolded += numbers[(2,)]
        if unfolded > max_bytes:
            raise PageError(f"pages that unfold into more than {max_bytes:,} bytes")
        structs.at += numbers[(3,)]
    if structs.at != footer:
        raise PageError("a page that runs into the footer")
