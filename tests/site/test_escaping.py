"""Untrusted text stays text: in Markdown, in attributes, in links, in code, in front matter."""

import html
import json
import string

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.site import escaping


def test_text_keeps_letters_digits_and_spaces_and_numbers_the_rest():
    assert escaping.text('a1 <b> "c" [d](e) {f}') == (
        "a1 &#60;b&#62; &#34;c&#34; &#91;d&#93;&#40;e&#41; &#123;f&#125;"
    )


def test_every_ascii_punctuation_mark_becomes_a_reference():
    assert escaping.text(string.punctuation) == "".join(f"&#{ord(mark)};" for mark in string.punctuation)


@pytest.mark.parametrize(
    ("given_text", "line"),
    [
        ("a\r\n\tb\u2028c\x85d", "a b c d"),
        ("abc\u202etxt.exe\u202c", "abctxt.exe"),
        ("\x00\x1b[31mred\x7f", "[31mred"),
        ("in\u200bvi\ufeffsible\u00ad", "invisible"),
        ("lone \ud800 surrogate, \ufdd0 \U0001fffe no characters", "lone surrogate, no characters"),
        ("👩\u200d🚀 é 漢字", "👩\u200d🚀 é 漢字"),
    ],
)
def test_one_line_drops_what_deceives_and_keeps_what_is_read(given_text, line):
    assert escaping.one_line(given_text) == line


@given(st.text())
def test_text_survives_markdown_as_the_same_text_and_nothing_else(value):
    rendered = markdown.markdown(f'<p title="{escaping.text(value)}">{escaping.text(value)}</p>')
    line = escaping.text(value)
    assert rendered == f'<p title="{line}">{line}</p>'
    assert html.unescape(str(line)).replace("\xa0", " ") == escaping.one_line(value).replace("\xa0", " ")


@given(st.text())
def test_a_heading_of_untrusted_text_holds_no_element(value):
    rendered = markdown.markdown(f"# x{escaping.text(value)}", extensions=["attr_list", "toc"])
    assert rendered.count("<") == 2 and rendered.startswith("<h1 id=")


@given(st.text())
def test_code_is_one_line_and_gives_back_every_line(source):
    block = str(escaping.code(source))
    assert "\n" not in block
    body = html.unescape(
        block.removeprefix('<pre class="board-code" tabindex="0"><code>').split("</code>")[0]
    )
    assert body.count("\n") == source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").count("\n")


def test_code_keeps_tabs_indentation_and_blank_lines():
    assert "a&#10;&#10;&#9;b  c" in escaping.code("a\n\n\tb  c\n")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " https://example.org",
        "data:text/html,<script>",
        "//example.org/x",
        "https:///nothing",
        "https://user:secret@example.org",
        "https://[broken",
        "ftp://example.org",
        "https://exa\u202emple.org",
        "",
    ],
)
def test_an_unsafe_address_is_text_and_no_link(url):
    assert escaping.safe_url(url) is None
    assert "<a" not in escaping.link(url)


def test_a_safe_address_is_a_link_with_everything_escaped():
    link = escaping.link('https://arxiv.org/abs/1?a="><b>&c=d')
    assert link.startswith('<a href="https&#58;&#47;&#47;arxiv&#46;org')
    assert "<b>" not in link and '"&#62;' not in link


@given(st.text())
def test_front_matter_is_json_and_holds_nothing_that_html_reads(value):
    written = str(escaping.front_matter(value))
    title = json.loads(written)
    assert not set("<>\"'`\n\r") & set(title)
    assert html.unescape(title) == title or "&" not in title


def test_front_matter_keeps_an_ampersand_that_begins_no_reference():
    assert escaping.front_matter("Plan & search, R&D &lt; &#60;") == '"Plan & search, R& D & lt; & #60;"'
