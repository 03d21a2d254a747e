"""The page in a real browser: on a desk, on a phone, in the dark, on paper, without scripts."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser.chromium import Browser, chromium
from browser.studies import large, shipped
from render.test_html import HOSTILE, report_naming
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import metaeval
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.plots import drawings

pytestmark = pytest.mark.slow

DESK, PHONE = 1280, 390
SHEET, ACROSS = 703, 1047
"""Widths in pixels; a sheet is A4 without its margins, and across."""

WIDTHS = [DESK, PHONE]
STUDIES = ["stance", "large", "hostile"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    hostile = report_naming((*HOSTILE, "an_unbroken_name" * 8))
    return {"stance": shipped(), "large": large(tmp_path_factory.mktemp("large")), "hostile": hostile}


@pytest.fixture(scope="session")
def pages(reports: dict[str, Report], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(render(report, "html"), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


@pytest.fixture
def stance(browser: Browser, pages: dict[str, Path]) -> Browser:
    """The browser, with the shipped study at a desk, and all its parts open."""
    browser.open(pages["stance"])
    browser.unfold()
    return browser


# What everybody sees


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("study", STUDIES)
def test_the_page_is_quiet_and_never_wider_than_its_window(
    browser: Browser, pages: dict[str, Path], study: str, width: int, scheme: str
) -> None:
    browser.complaints()
    browser.open(pages[study], width=width, scheme=scheme)
    assert browser.complaints() == []
    assert browser.overflow() == 0
    browser.unfold()
    assert browser.overflow() == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("study", STUDIES)
def test_every_plot_is_seen_and_told_in_a_caption_of_at_most_two_lines(
    browser: Browser, pages: dict[str, Path], reports: dict[str, Report], study: str, width: int
) -> None:
    browser.open(pages[study], width=width)
    browser.unfold()
    pictures = browser.driver.find_elements(By.CSS_SELECTOR, "svg, img")
    assert len(pictures) == len(drawings(reports[study]))
    for picture in pictures:
        assert picture.size["width"] > 200
        assert picture.size["height"] > 50
        assert picture.accessible_name
        assert picture.aria_role in ("img", "image")
    lines = browser.ask(
        "[...document.querySelectorAll('figcaption')].map(each => "
        "each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight))"
    )
    assert len(lines) == len(pictures)
    assert max(lines, default=0) < 2.1


def test_the_top_fits_a_screen_and_the_closed_page_a_few(
    browser: Browser, reports: dict[str, Report], tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(render(replace(reports["stance"], methods=()), "html"))
    browser.open(tmp_path / "page.html")
    assert browser.ask("document.getElementById('recommend').getBoundingClientRect().bottom") < 900
    assert browser.ask("document.getElementById('score').getBoundingClientRect().top") < 1000
    assert browser.ask("document.documentElement.scrollHeight") <= 3700
    widths = browser.ask(
        "[...document.querySelectorAll('section > figure svg')].map(e => e.getBoundingClientRect().width)"
    )
    column = browser.ask("document.getElementById('content').clientWidth")
    assert len(widths) == 6
    assert min(widths) > 0.85 * column


def test_a_long_table_shows_fifteen_rows_and_opens_without_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    def shown(name: str) -> int:
        rows = browser.driver.find_elements(By.CSS_SELECTOR, f"#table-{name} tbody tr")
        return sum(row.is_displayed() for row in rows)

    with browser.without_scripts():
        browser.open(pages["stance"])
        assert shown("stability_differences") == 0
        section = browser.driver.find_element(By.ID, "stability")
        section.find_element(By.CSS_SELECTOR, "details.more > summary").click()
        assert shown("stability") == 9
        assert shown("stability_differences") == 15
        box = browser.driver.find_element(By.XPATH, "//div[div/table[@id='table-stability_differences']]")
        opener = box.find_element(By.CSS_SELECTOR, ".rows summary")
        assert opener.text == "All 36 rows"
        opener.click()
        assert shown("stability_differences") == 36


def test_what_scrolls_on_a_phone_says_so(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["stance"], width=PHONE)
    browser.unfold()
    boxes = browser.ask(
        "[...document.querySelectorAll('.scroll')].map(each => "
        "[each.scrollWidth > each.clientWidth + 1, getComputedStyle(each, '::before').content])"
    )
    assert len(boxes) == 24
    hints = [("scroll" in hint) for scrolls, hint in boxes if scrolls]
    assert len(hints) > 10
    assert all(hints)
    browser.open(pages["stance"])
    assert "scroll" not in browser.ask("getComputedStyle(document.querySelector('.scroll'), '::before').content")


def test_letters_of_plots_can_be_read_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["stance"], width=PHONE)
    heights = browser.ask(
        "[...document.querySelectorAll('svg text')].filter(each => each.textContent.trim())"
        ".map(each => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a)"
    )
    assert min(heights) > 4.5
    assert sorted(heights)[len(heights) // 2] > 6


def test_tables_scroll_inside_their_own_box(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["stance"], width=PHONE)
    browser.unfold()
    table = browser.driver.find_element(By.ID, "table-scores")
    box = table.find_element(By.XPATH, "..")
    name = table.find_element(By.CSS_SELECTOR, "tbody th")
    before = name.rect["x"]
    browser.driver.execute_script("arguments[0].scrollLeft = 300", box)
    assert browser.driver.execute_script("return arguments[0].scrollLeft", box) == 300
    assert name.rect["x"] == pytest.approx(before, abs=1)
    assert browser.overflow() == 0


def test_a_large_study_is_small_and_quick(browser: Browser, pages: dict[str, Path], reports: dict[str, Report]) -> None:
    assert len(reports["large"].table("scores").rows) == 100
    assert len(reports["large"].table("scores").columns) == 21
    assert pages["large"].stat().st_size < 6e6
    start = time.perf_counter()
    browser.open(pages["large"])
    assert time.perf_counter() - start < 10
    browser.unfold()
    rows = browser.driver.find_elements(By.CSS_SELECTOR, "#table-scores tbody tr")
    assert len(rows) == 100
    # A row is a line: no name or number is folded where there is room to scroll.
    assert max(row.size["height"] for row in rows) < 60


def test_dark_is_another_ground_and_another_ink(browser: Browser, pages: dict[str, Path]) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.open(pages["stance"], scheme=scheme)
        ground = browser.ask("getComputedStyle(document.body).backgroundColor")
        inks = browser.ask(
            "[...document.querySelectorAll('svg text')].slice(0, 5).map(each => getComputedStyle(each).fill)"
        )
        colours.append((ground, set(inks)))
    (light, light_inks), (dark, dark_inks) = colours
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    assert not light_inks & dark_inks


# Sorting


def column(table: WebElement, index: int) -> list[str]:
    return [row.find_elements(By.XPATH, "./*")[index].text for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]


def numbers(table: WebElement, index: int) -> list[float]:
    return [float(text.partition(" ")[0]) for text in column(table, index)]


@pytest.mark.parametrize("keys", ["", Keys.ENTER, Keys.SPACE])
def test_a_header_sorts_and_at_last_restores(stance: Browser, keys: str) -> None:
    table = stance.driver.find_element(By.ID, "table-scores")
    header = next(cell for cell in table.find_elements(By.CSS_SELECTOR, "thead th") if "Accuracy" in cell.text)
    index = table.find_elements(By.CSS_SELECTOR, "thead th").index(header)
    button = header.find_element(By.TAG_NAME, "button")
    press = button.click if not keys else lambda: button.send_keys(keys)
    before = column(table, 0)
    states = []
    for _ in range(3):
        press()
        states.append((header.get_attribute("aria-sort"), numbers(table, index)))
    assert states[0] == ("descending", sorted(states[0][1], reverse=True))
    assert states[1] == ("ascending", sorted(states[1][1]))
    assert states[2][0] is None
    assert column(table, 0) == before != sorted(before)


def test_lower_is_better_begins_with_the_lowest_and_letters_with_the_first(stance: Browser) -> None:
    table = stance.driver.find_element(By.ID, "table-scores")
    headers = table.find_elements(By.CSS_SELECTOR, "thead th")
    index = next(index for index, header in enumerate(headers) if "macro" in header.text and "error" in header.text)
    headers[index].find_element(By.TAG_NAME, "button").click()
    assert numbers(table, index) == sorted(numbers(table, index))
    headers[0].find_element(By.TAG_NAME, "button").click()
    assert column(table, 0) == sorted(column(table, 0))
    assert headers[index].get_attribute("aria-sort") is None


def test_what_is_undefined_stands_last_in_either_order(
    browser: Browser, reports: dict[str, Report], tmp_path: Path
) -> None:
    scores = reports["stance"].table("scores")
    holed = replace(scores, rows=((*scores.rows[0][:1], float("nan"), *scores.rows[0][2:]), *scores.rows[1:]))
    page = tmp_path / "page.html"
    page.write_text(render(replace(reports["stance"], tables=(holed,)), "html"))
    browser.open(page)
    table = browser.driver.find_element(By.ID, "table-scores")
    button = table.find_elements(By.CSS_SELECTOR, "thead button")[1]
    for _ in range(2):
        button.click()
        assert column(table, 1)[-1].startswith("—")
        assert len(column(table, 1)) == len(scores.rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_leaderboard_shows_metadata_and_sorts_by_the_keyboard(
    browser: Browser, tmp_path: Path, width: int, repository: Path
) -> None:
    page, metadata = tmp_path / "page.html", "sample_data/rumoureval2017/teams.csv"
    result = metaeval.leaderboard(
        "configs/rumour2017.yaml", ["macro-f1", "accuracy"], metadata=metadata, cost="seconds", permutations=199
    )
    page.write_text(render(result, "html"))
    browser.complaints()
    browser.open(page, width=width)
    assert browser.complaints() == []
    assert browser.overflow() == 0
    table = browser.driver.find_element(By.ID, "table-standings")
    headers = [header.text for header in table.find_elements(By.CSS_SELECTOR, "thead th")]
    assert headers[-1] == "model"
    position = next(index for index, text in enumerate(headers) if "seconds" in text)
    header = table.find_elements(By.CSS_SELECTOR, "thead th")[position]
    header.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert header.get_attribute("aria-sort") == "ascending"
    assert numbers(table, position) == sorted(numbers(table, position))


# Other readers


def pages_of(browser: Browser) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", browser.printed()))


def test_many_analyses_of_nine_measures_and_sixteen_systems_print_on_six_pages(
    browser: Browser, tmp_path: Path
) -> None:
    report = shipped("compare: {permutations: 199}\npower: {permutations: 199}\nrobustness: {}\nplan: {}\n")
    assert len(report.table("scores").rows) >= 16
    assert len(report.table("comparisons").rows) == 9 * 14 * 13 / 2
    page = tmp_path / "page.html"
    page.write_text(render(report, "html"))
    browser.open(page)
    assert 2 < pages_of(browser) <= 6
    page.write_text(render(report, "html", appendix=True))
    browser.open(page)
    assert pages_of(browser) > 12


@pytest.mark.parametrize("study", STUDIES)
def test_paper_shows_open_parts_only_says_so_and_cuts_nothing_off(
    browser: Browser, pages: dict[str, Path], reports: dict[str, Report], tmp_path: Path, study: str
) -> None:
    browser.open(pages[study], width=SHEET, media="print", scheme="dark")
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    heights = "[...document.querySelectorAll('{}')].map(each => each.getBoundingClientRect().height)"
    if study != "hostile":
        assert max(browser.ask(heights.format(".more > *"))) == 0
        assert "report --appendix" in browser.driver.find_element(By.CLASS_NAME, "printed").text
        browser.ask("document.querySelector('#stability > .more').open = true")
        assert min(browser.ask(heights.format("#stability > .more tbody tr:nth-child(-n + 9)"))) > 0
    (tmp_path / "all.html").write_text(render(reports[study], "html", appendix=True))
    browser.open(tmp_path / "all.html", width=SHEET, media="print")
    assert min(browser.ask(heights.format("section:not(#provenance) tbody tr"))) > 0
    widths = "Math.max(0, ...[...document.querySelectorAll('{}')].map(each => each.scrollWidth))"
    assert browser.ask(widths.format("table:not(.wide)")) <= SHEET
    assert 0 < browser.ask(widths.format("table")) <= ACROSS
    assert browser.ask("[...document.querySelectorAll('*')].every(e => getComputedStyle(e).position !== 'sticky')")


def test_everything_can_be_read_without_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["stance"])
    text = browser.driver.find_element(By.TAG_NAME, "body").text
    with browser.without_scripts():
        browser.open(pages["stance"])
        assert browser.driver.find_elements(By.TAG_NAME, "button") == []
        assert browser.driver.find_element(By.TAG_NAME, "body").text == text
        details = browser.driver.find_element(By.CSS_SELECTOR, "main #score details")
        assert not details.find_element(By.TAG_NAME, "table").is_displayed()
        details.find_element(By.TAG_NAME, "summary").click()
        assert details.find_element(By.TAG_NAME, "table").is_displayed()


def test_the_first_tab_skips_to_the_content(stance: Browser) -> None:
    stance.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    focused = stance.driver.switch_to.active_element
    assert (focused.get_attribute("href") or "").endswith("#content")
    assert focused.is_displayed()
    assert focused.rect["y"] >= 0
