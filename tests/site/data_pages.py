"""A Data page with a hostile text in every field."""

from leaderboard.board.tables import DataBenchmark, DataErratum, DataFileNote, DataPage

EVIL = "<script>window.pwned=7</script> [x](javascript:alert(7)) `code` | {{ 7*7 }}"


def data_page(*keys: str) -> DataPage:
    """Return the page of these benchmarks."""
    file = DataFileNote(
        name="test.tsv",
        role=EVIL,
        sources=(EVIL, "test.tsv of x/y on the model hub, revision main"),
        size="484,887 bytes",
        sha256="4255093c93b595b5b04c7c8dde290b48ec87d72ca0fb0b760d9dd02740d669ff",
        licence=EVIL,
        note=EVIL,
        optional=True,
    )
    erratum = DataErratum(question="17", kind="dated", action="left out", reason=EVIL, source=EVIL)
    return DataPage(
        benchmarks=tuple(
            DataBenchmark(
                key=key,
                name=f"{key} {EVIL}",
                licence=EVIL,
                home='javascript:alert("home")',
                citation=EVIL,
                read_words=f"24 questions of {EVIL}",
                read=((EVIL, "sha256 0f"),),
                files=(file, file.model_copy(update={"name": "other.json", "note": "", "optional": False})),
                defects=((EVIL, EVIL),),
                errata=(erratum,),
            )
            for key in keys
        )
    )
