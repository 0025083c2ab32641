"""The content-security policy holds the hashes of the page's own scripts, and nothing more."""

import base64
import hashlib
import re

import html5lib
import pytest

from leaderboard.site.errors import SiteError
from leaderboard.site.policy import add_policy, script_hashes, with_policy

PAGE = '<html><head><meta charset="utf-8"><script>a < b && "é"</script><script src="x.js"></script>{}</head></html>'
POLICY = re.compile(r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]*)"')


def source(script):
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_hashes_inline_scripts_that_run_exactly_as_they_stand():
    page = PAGE.format(
        '<script id="__config" type="application/json">{"a": 1}</script><script>\n two </script>'
    )
    assert script_hashes(page) == sorted([source('a < b && "é"'), source("\n two ")])


def test_stands_right_after_the_charset_and_once():
    page = with_policy(with_policy(PAGE.format(""), noindex=True))
    (policy,) = POLICY.findall(page)
    assert "noindex" not in page and page.count("Content-Security-Policy") == 1
    assert policy.startswith("default-src 'self'; script-src 'self' 'sha256-") and "unsafe" not in policy


def test_noindex_is_put_where_asked(tmp_path):
    for name in ("a.html", "b/c.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PAGE.format(""), encoding="utf-8")
    assert add_policy(tmp_path, noindex={"b/c.html"}) == 2
    assert "noindex" not in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<meta name="robots" content="noindex">' in (tmp_path / "b/c.html").read_text(encoding="utf-8")


def test_a_page_without_charset_is_an_error(tmp_path):
    (tmp_path / "x.html").write_text("<html></html>")
    with pytest.raises(SiteError, match=r"x\.html: no <meta charset"):
        add_policy(tmp_path)


def test_every_page_of_the_site_has_its_own_hashes(built):
    pages = sorted((built / "site").rglob("*.html"))
    assert len(pages) > 15
    for path in pages:
        text = path.read_text(encoding="utf-8")
        (policy,) = POLICY.findall(text)
        scripts = html5lib.parse(text, namespaceHTMLElements=False).iter("script")
        inline = {source(s.text) for s in scripts if "src" not in s.attrib and "type" not in s.attrib}
        assert set(re.findall(r"'sha256-[^']*'", policy)) == inline
