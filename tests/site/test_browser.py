"""The site in a real browser: nothing hostile runs, nothing violates the policy, it fits a phone, it is accessible."""

import threading

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from leaderboard.site.mkdocs import server

pytestmark = pytest.mark.browser

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = [
    "index.html",
    "benchmarks/frames.html",
    "retrievers.html",
    "systems/script.html",
    "systems/long.html",
    "data.html",
    "method.html",
]


@pytest.fixture(scope="module")
def address(built):
    with server(built / "site", 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address):
    """Open a page and watch it: what the console says, what the policy forbids, what leaves the machine."""
    contexts = []

    def opened(path, *, width=1280, scheme="light", javascript=True):
        context = browser.new_context(
            viewport={"width": width, "height": 844}, color_scheme=scheme, java_script_enabled=javascript
        )
        contexts.append(context)
        page = context.new_page()
        page.trouble = []
        page.on(
            "console",
            lambda message: message.type in ("error", "warning") and page.trouble.append(message.text),
        )
        page.on("pageerror", lambda error: page.trouble.append(str(error)))
        page.on(
            "request", lambda request: request.url.startswith(address) or page.trouble.append(request.url)
        )
        page.add_init_script(
            "window.violations = []; document.addEventListener('securitypolicyviolation',"
            " event => window.violations.push(event.violatedDirective + ' ' + event.blockedURI))"
        )
        page.goto(f"{address}/{path}", wait_until="networkidle")
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("path", PAGES)
def test_nothing_hostile_runs_and_nothing_is_forbidden(open_page, path):
    page = open_page(path)
    assert page.trouble == []
    assert page.evaluate("window.violations") == []
    assert page.evaluate("window.pwned") is None


def test_the_policy_stops_what_would_slip_through(open_page):
    page = open_page("method.html")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=1\">')")
    page.wait_for_function("window.violations.length > 0")
    assert page.evaluate("window.pwned") is None


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_scrolls_the_table_and_not_the_page(open_page, path):
    page = open_page(path, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if path == "index.html":
        scroll = page.locator(".board-scroll").first
        assert scroll.evaluate("box => box.scrollWidth > box.clientWidth")
        scroll.evaluate("box => box.scrollLeft = 200")
        name = page.locator("tbody.ranked th.name").first
        assert name.bounding_box()["x"] - scroll.bounding_box()["x"] < 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(open_page, path, scheme, width):
    page = open_page(path, scheme=scheme, width=width)
    page.wait_for_timeout(300)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_a_page_of_the_literature_fits_a_phone_in_the_dark_and_is_accessible_and_harmless(open_page):
    page = open_page("literature/steps.html", scheme="dark", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert (page.trouble, page.evaluate("window.violations")) == ([], [])
    assert page.evaluate("window.pwned") is None


def test_a_column_sorts_by_keyboard_and_reference_rows_stay(open_page):
    page = open_page("index.html")
    head = page.locator("table.board thead th", has_text="FRAMES-like")
    head.locator("button").focus()
    rows = "Array.from(document.querySelectorAll('tbody.ranked td[data-column=frames]'), cell => +cell.dataset.value)"
    apart = "document.querySelector('tbody.unranked').innerText + document.querySelector('tbody.reference').innerText"
    first, kept = page.evaluate(rows), page.evaluate(apart)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending" and page.evaluate(rows) == sorted(
        first, reverse=True
    )
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending" and page.evaluate(rows) == sorted(first)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "none" and page.evaluate(rows) == first
    assert page.evaluate(apart) == kept


@pytest.mark.parametrize("width", [1280, 390])
def test_a_link_to_a_table_shows_the_table_with_its_heading(open_page, width):
    page = open_page("benchmarks/frames.html", width=width)
    links = page.locator(".board-contents a")
    for place in range(links.count()):
        link = links.nth(place)
        anchor = link.get_attribute("href").removeprefix("#")
        link.click()
        page.wait_for_timeout(50)
        top = page.evaluate(
            """anchor => {
                let heading = document.getElementById(anchor);
                while (heading.tagName !== "H2") heading = heading.previousElementSibling;
                const header = document.querySelector(".md-header").getBoundingClientRect().bottom;
                return heading.getBoundingClientRect().top - header;
            }""",
            anchor,
        )
        assert 0 <= top < 844 - 100, (anchor, top)
        page.evaluate("window.scrollTo(0, 0)")


def test_without_javascript_the_table_is_whole(open_page, board):
    page = open_page("index.html", javascript=False)
    assert page.locator("table.board tbody th.name").count() == len(board.home.rows)
    assert page.locator(".board-sort").count() == 0
    assert page.locator("td[data-row=script][data-column=overall]").inner_text().startswith("62.5")


def test_search_finds_a_hostile_name_and_shows_it_as_text(open_page):
    page = open_page("index.html")
    page.locator(".md-search__input").click()
    page.keyboard.type("onerror", delay=20)
    page.wait_for_selector(".md-search-result__item")
    assert page.locator(".md-search-result img").count() == 0
    assert page.evaluate("window.pwned") is None and page.trouble == []
