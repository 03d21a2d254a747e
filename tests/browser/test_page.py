"""The page in a real browser: on a desk, on a phone, in the dark, on paper, without scripts."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser.chromium import Browser, chromium
from browser.studies import large, shipped
from render.test_html import HOSTILE, named
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.plots import drawings

DESK, PHONE = 1280, 390
SHEET, ACROSS = 688, 1047
"""Widths in pixels; a sheet is A4 without its margins, and across."""

WIDTHS = [DESK, PHONE]
STUDIES = ["stance", "large", "hostile"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    hostile = named((*HOSTILE, "an_unbroken_name" * 8))
    return {"stance": shipped(), "large": large(tmp_path_factory.mktemp("large")), "hostile": hostile}


@pytest.fixture(scope="session")
def pages(reports: dict[str, Report], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(render(report, "html"), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


@pytest.fixture
def stance(browser: Browser, pages: dict[str, Path]) -> Browser:
    """The browser, with the shipped study open at a desk."""
    browser.open(pages["stance"])
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
    browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert browser.overflow() == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("study", STUDIES)
def test_every_plot_is_seen_and_told(
    browser: Browser, pages: dict[str, Path], reports: dict[str, Report], study: str, width: int
) -> None:
    browser.open(pages[study], width=width)
    pictures = browser.driver.find_elements(By.CSS_SELECTOR, "svg, img")
    assert len(pictures) == len(drawings(reports[study]))
    for picture in pictures:
        assert picture.size["width"] > 200
        assert picture.size["height"] > 50
        assert picture.accessible_name
        assert picture.aria_role in ("img", "image")


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
    rows = browser.driver.find_elements(By.CSS_SELECTOR, "#table-scores tbody tr")
    assert len(rows) == 100
    # A row is a line: no name or number is folded where there is room to scroll.
    assert max(row.size["height"] for row in rows) < 60


def test_dark_is_another_ground_and_another_ink(browser: Browser, pages: dict[str, Path]) -> None:
    seen = []
    for scheme in ("light", "dark"):
        browser.open(pages["stance"], scheme=scheme)
        ground = browser.ask("getComputedStyle(document.body).backgroundColor")
        inks = browser.ask(
            "[...document.querySelectorAll('svg text')].slice(0, 5).map(each => getComputedStyle(each).fill)"
        )
        seen.append((ground, set(inks)))
    (light, light_inks), (dark, dark_inks) = seen
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    assert not light_inks & dark_inks


# Sorting


def column(table: WebElement, place: int) -> list[str]:
    return [row.find_elements(By.XPATH, "./*")[place].text for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]


def numbers(table: WebElement, place: int) -> list[float]:
    return [float(text.partition(" ")[0]) for text in column(table, place)]


@pytest.mark.parametrize("keys", ["", Keys.ENTER, Keys.SPACE])
def test_a_header_sorts_and_at_last_restores(stance: Browser, keys: str) -> None:
    table = stance.driver.find_element(By.ID, "table-scores")
    header = next(each for each in table.find_elements(By.CSS_SELECTOR, "thead th") if "accuracy" in each.text)
    place = table.find_elements(By.CSS_SELECTOR, "thead th").index(header)
    button = header.find_element(By.TAG_NAME, "button")
    press = button.click if not keys else lambda: button.send_keys(keys)
    before = column(table, 0)
    states = []
    for _ in range(3):
        press()
        states.append((header.get_attribute("aria-sort"), numbers(table, place)))
    assert states[0] == ("descending", sorted(states[0][1], reverse=True))
    assert states[1] == ("ascending", sorted(states[1][1]))
    assert states[2][0] is None
    assert column(table, 0) == before != sorted(before)


def test_lower_is_better_begins_with_the_lowest_and_letters_with_the_first(stance: Browser) -> None:
    table = stance.driver.find_element(By.ID, "table-scores")
    headers = table.find_elements(By.CSS_SELECTOR, "thead th")
    place = next(place for place, each in enumerate(headers) if "macro" in each.text and "mae" in each.text)
    headers[place].find_element(By.TAG_NAME, "button").click()
    assert numbers(table, place) == sorted(numbers(table, place))
    headers[0].find_element(By.TAG_NAME, "button").click()
    assert column(table, 0) == sorted(column(table, 0))
    assert headers[place].get_attribute("aria-sort") is None


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


# Other readers


@pytest.mark.parametrize("study", STUDIES)
def test_paper_shows_what_a_screen_folds_away_and_cuts_nothing_off(
    browser: Browser, pages: dict[str, Path], study: str
) -> None:
    browser.open(pages[study], width=SHEET, media="print", scheme="dark")
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for box in browser.driver.find_elements(By.CSS_SELECTOR, "details"):
        assert box.get_attribute("open") is None
        assert browser.driver.execute_script("return arguments[0].lastElementChild.getBoundingClientRect().height", box)
    widths = "Math.max(0, ...[...document.querySelectorAll('{}')].map(each => each.scrollWidth))"
    assert 0 < browser.ask(widths.format("table:not(.wide)")) <= SHEET
    assert browser.ask(widths.format("table.wide")) <= ACROSS
    assert browser.ask("[...document.querySelectorAll('*')].every(e => getComputedStyle(e).position !== 'sticky')")
    assert browser.printed().startswith(b"%PDF")


def test_everything_can_be_read_without_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["stance"])
    seen = browser.driver.find_element(By.TAG_NAME, "body").text
    with browser.without_scripts():
        browser.open(pages["stance"])
        assert browser.driver.find_elements(By.TAG_NAME, "button") == []
        assert browser.driver.find_element(By.TAG_NAME, "body").text == seen
        details = browser.driver.find_element(By.CSS_SELECTOR, "main details")
        details.find_element(By.TAG_NAME, "summary").click()
        assert details.find_element(By.TAG_NAME, "table").is_displayed()


def test_names_run_no_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["hostile"])
    # An alert would be an UnexpectedAlertPresentException here.
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.querySelectorAll('img').length") == 0


def test_the_first_tab_skips_to_the_content(stance: Browser) -> None:
    stance.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    focused = stance.driver.switch_to.active_element
    assert (focused.get_attribute("href") or "").endswith("#content")
    assert focused.is_displayed()
    assert focused.rect["y"] >= 0


def test_every_number_of_a_table_is_in_the_json_twin_rounded(stance: Browser, reports: dict[str, Report]) -> None:
    twin = json.loads(render(reports["stance"], "json"))["tables"]
    for name in ("scores", "stability", "merge_classes", "summary"):
        table = stance.driver.find_element(By.ID, f"table-{name}")
        shown = stance.driver.execute_script(
            "return [...arguments[0].tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText))", table
        )
        for row, record in zip(shown, twin[name], strict=True):
            for text, value in zip(row, record.values(), strict=True):
                if isinstance(value, float):
                    assert float(text.partition(" ")[0]) == pytest.approx(value, abs=0.5001e-4)
