"""A page's wikitext becomes readable text, whatever it holds, in bounded time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.wikipedia.wikitext import MAX_CHARACTERS, readable


def text(wikitext):
    return readable("Vashel", wikitext).text


PAGE = """{{Short description|Town}}
{{About|the town|the river|Vashel (river)}}
[[File:Bridge.jpg|thumb|upright=1.2|alt=A bridge|The [[Orrin bridge|bridge]] in {{circa|1900}}]]
'''Vashel''' ({{IPA|x}}; {{langx|fr|Vachel}}) is a ''town'' on the [[Orrin (river)|]].<ref name="a">Lamp, ''Rivers''.</ref><!-- check
this -->{{citation needed|date=May 1901}} It has [https://vashel.example a site]<ref name=a/> &amp; 5&nbsp;mills.[https://x.example]

== History ==
{{Main|History of Vashel}}
First there was:
* a [[mill]]
** with ''one'' wheel
# a lamp
: indented
; Term : its meaning

=== Nothing here ===

== Gallery ==
<gallery caption="Views">
File:A.jpg|The ''old'' mill
File:B.jpg|alt=x|[[Orrin]] by night
C.jpg
</gallery>
__NOTOC__
== References ==
{{Reflist}}
{{Lamp towns}}
{{DEFAULTSORT:Vashel}}
[[Category:Towns]]
[[fr:Vachel]]
"""


def test_a_page():
    found = readable("Vashel", PAGE)
    assert found.text == (
        "The bridge in c. 1900\n"
        "\n"
        "Vashel (French: Vachel) is a town on the Orrin. It has a site & 5 mills.\n"
        "\n"
        "History\n"
        "First there was:\n"
        "- a mill\n"
        "  - with one wheel\n"
        "- a lamp\n"
        "indented\n"
        "Term: its meaning\n"
        "\n"
        "Gallery\n"
        "- Views\n"
        "- The old mill\n"
        "- Orrin by night"
    )
    assert [(section.level, section.title) for section in found.sections] == [(2, "History"), (2, "Gallery")]
    assert [found.text[section.start :].split("\n")[0] for section in found.sections] == [
        "History",
        "Gallery",
    ]
    assert found.problems == ()
    assert readable("Vashel", PAGE) == found


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("[[Mill]]s and [[Mill|the mills]]", "Mills and the mills"),
        ("[[:Category:Mills]] [[:fr:Moulin]]", "Category:Mills fr:Moulin"),
        ("[[Help:Mill (town)|]]", "Mill"),
        ("'''a''' ''b'' '''''c''''' d's", "a b c d's"),
        ("<math>a^2 < b_{1}</math>", "a^2 < b_{1}"),
        ("<nowiki>[[a]] {{b}} ''c''</nowiki>", "[[a]] {{b}} ''c''"),
        ("<pre>\n{{a}}\n  [[b]]\n\n\n* c\n</pre>", "{{a}}\n  [[b]]\n\n\n* c"),
        ("a<br>b", "a\nb"),
        ("x<sup>2</sup> 10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup>", "x2 10^6 H2O 1st"),
        ("<span style='color:red'>a</span> <s>b</s> <unknown>c", "a b <unknown>c"),
        ("1 < 2 &lt; 3 &eacute; &#233; &#xE9; &nosuch; &#99999999; &amp;lt;", "1 < 2 < 3 é é é &nosuch; &#99999999; &lt;"),
        ("a<!-- x", "a"),
        ("a<ref>b", "ab"),
        ("a<ref>b</ref>c<ref name='d' />e", "ace"),
        ("* a<!-- x -->\n<!-- y -->\n* b", "- a\n- b"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a\r\nb", "a\nb"),
        ("a ( , ) b (; c) ()", "a b (c)"),
        ("#REDIRECT [[Orrin (river)]]", "#REDIRECT Orrin (river)"),
        ("#redirect [[Orrin]]\n{{R from move}}", "#redirect Orrin"),
        ("a\0b\ud800c\ue000d", "ab\ufffdcd"),
        ("----\na", "a"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_piece_of_wikitext(wikitext, expected):
    assert text(wikitext) == expected


def test_a_lua_module_stays_as_it_stands():
    code = "local p = {}\n-- [[x]] {{y}}\nreturn p['a'] .. '''b'''"
    assert readable("Module:Lamps/data", code).text == code
    assert readable("Module:Lamps/doc", "'''a'''").text == "a"


def test_sections_keep_their_levels_and_places():
    found = readable(
        "Vashel", "a\n= One =\nb\n== Two ''x'' ==\n=== Three [[Mill|mill]] ===\nc\n== Four ==\nd\n"
    )
    assert found.text == "a\n\nOne\nb\n\nTwo x\n\nThree mill\nc\n\nFour\nd"
    assert [(part.level, part.title, part.start) for part in found.sections] == [
        (1, "One", 3), (2, "Two x", 10), (3, "Three mill", 17), (2, "Four", 31),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("a {{b|c\n== D ==\ne [[f]]", "a b|c\n\nD\ne f"),
        ("a [[b c\nd [[e]]", "a b c\nd e"),
        ("a }} b ]] c", "a b c"),
        ("{{nowrap|a [[b}} c", "a b c"),
        ("{|\n| a {{b\n|}\nc", "a b\n\nc"),
    ],
)
def test_marks_without_their_other_half_are_left_out_and_reported(wikitext, expected):
    found = readable("Vashel", wikitext)
    assert found.text == expected
    assert len(found.problems) == 1 and "without their other half" in found.problems[0]


def test_runs_of_braces_are_paired_as_mediawiki_pairs_them():
    assert readable("Vashel", "{{{{a|b}}}} {{{{{a|nowrap}}}|c}} {{nowrap|{{small|d}}}}").text == "{b} c d"


LARGE = 200_000
BOMBS = [
    "{{a|", "{{", "{", "}}", "[[", "]]", "[", "{{{", "{|\n", "\n|-\n", "|", "\n!", "=", "\n== a", "\n;a:b", "\n*", "'", "<", "<!--",
    "<ref>", "<nowiki>", "<math>", "<a b='", "http://", "[http://", "[irc:", "&", "&#9", "&amp;", "{{a|[[b|", "[[{{", "[[a|b]]",
    "{{a|b=c}}", "{{{a|}}}", "[[{|\n", "{|\n|a\n|}\n", "{{!}}", "[[File:a|", "(", "( ", " ", "\t", "(a) ", "\n|a=\"", "{{formatnum:",
    "{{plainlist|\n*", "{{infobox\n|a=", "\n{{a\n|b=c\n|d=", "__", "\u00a0", "a:",
]  # fmt: skip


@pytest.mark.parametrize("piece", BOMBS, ids=ascii)
def test_a_page_of_one_mark_takes_bounded_time(piece):
    start = time.process_time()
    found = readable("Vashel", piece * (LARGE // len(piece)))
    assert time.process_time() - start < 20  # a quadratic step takes minutes
    assert len(found.text) <= LARGE


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{a|" * 10_000 + "x" + "}}" * 10_000,
        "[[a|" * 10_000 + "x" + "]]" * 10_000,
        "{|\n|" * 5_000 + "x" + "\n|}" * 5_000,
        ("{{a|" * 29 + "x" + "}}" * 29) * 1_000,
        "{|\n" + "|-\n|rowspan=99999 colspan=1000|x\n" * 2_000 + "|}",
        "{{infobox" + "".join(f"|a{number}=x" for number in range(20_000)) + "}}",
        "{{a" + "|x" * 50_000 + "}}",
        "{|\n|" + "x||" * 20_000 + "\n|}",
        "{|\n" + ("| " + "a=bbb" * 50 + "! {{x}}\n|" + "a = " * 60 + '" {{x}}\n') * 200 + "| x\n|}",
    ],
    ids=["templates", "links", "tables", "many", "spans", "arguments", "positional", "cells", "attributes"],
)
def test_deep_and_wide_structures_keep_their_text_in_bounded_time(wikitext):
    start = time.process_time()
    found = readable("Vashel", wikitext)
    assert time.process_time() - start < 20
    assert "x" in found.text


def test_nesting_beyond_what_the_parser_takes_is_reported():
    assert readable("Vashel", "{{a|" * 40 + "x" + "}}" * 40).problems == (
        "10 marks nested too deep, left out",
    )


def test_a_source_longer_than_a_page_can_be_is_stripped_of_its_marks():
    source = "'''Vashel''' is a [[town]].\n" * (MAX_CHARACTERS // 28 + 1)
    found = readable("Vashel", source)
    assert found.problems == (
        f"{len(source):,} characters, more than the 2,100,000 that are parsed: marks stripped",
    )
    assert found.text.startswith("Vashel is a town.\nVashel is a town.")


PIECES = st.sampled_from(
    [
        "{{", "}}", "[[", "]]", "{|", "|}", "|-", "|", "!", "\n", "=", "==", "'''", "<ref>", "</ref>", "<!--", "-->", "<nowiki>",
        "</nowiki>", "<pre>", "</pre>", "<br>", "*", ":", ";", "#", "infobox", "convert", "x", "3", " ", "File:", "thumb", "&amp;", "&#",
        "{{{", "}}}", "rowspan=2", "http://a", "[", "]", "plainlist", "colspan=3", "\ud800", "\0", "\ue000", "\ue004", "-{", "<table>", "<td>",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200))
@settings(max_examples=400)
def test_any_text_gives_text_that_can_be_written_down_with_sections_in_it(wikitext):
    found = readable("Vashel", wikitext)
    found.text.encode("utf-8")
    assert "\0" not in found.text
    assert not any("\ue000" <= character <= "\ue00f" for character in found.text)
    assert found.text == readable("Vashel", wikitext).text
    starts = [section.start for section in found.sections]
    assert starts == sorted(set(starts))
    for section in found.sections:
        assert found.text.startswith(section.title, section.start)
        assert 1 <= section.level <= 6


@given(st.lists(st.sampled_from(["lamp", "river", "mill", "Orrin", "1901"]), min_size=1, max_size=20))
def test_plain_words_come_through_unchanged(words):
    assert text(" ".join(words)) == " ".join(words)
