"""The documentation site: it builds without a warning, and asks the network for nothing."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from browser.chromium import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from metaeval import __all__ as public_names

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FETCHED_BY_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Strict: a link or an anchor that leads nowhere, or a page that no menu names, ends the build."""
    folder = tmp_path_factory.mktemp("site")
    finished = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return folder


class Resources(HTMLParser):
    """Collects what a browser fetches to show a page, as against links that a reader may follow."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        fetched = [values.get("src"), values.get("srcset"), values.get("poster")]
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            fetched.append(values.get("href"))
        self.addresses += [address for address in fetched if address]


def test_every_page_of_the_menu_is_there(site: Path) -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    pages = re.findall(r"([\w/-]+)\.md", menu)
    assert len(pages) > 25
    assert [page for page in pages if not (site / f"{page}.html").is_file()] == []


def test_the_site_asks_for_nothing_from_elsewhere(site: Path) -> None:
    elsewhere = []
    for page in site.rglob("*.html"):
        resources = Resources()
        resources.feed(page.read_text(encoding="utf-8"))
        assert resources.addresses
        elsewhere += [(page.name, address) for address in resources.addresses if re.match(r"(https?:)?//", address)]
    for style in site.rglob("*.css"):
        elsewhere += [(style.name, address) for address in FETCHED_BY_STYLE.findall(style.read_text(encoding="utf-8"))]
    assert elsewhere == []


def test_the_reference_has_every_public_name_and_examples_as_blocks(site: Path) -> None:
    reference = (site / "reference/python.html").read_text(encoding="utf-8")
    assert [name for name in public_names if f'id="metaeval.{name}"' not in reference] == []
    assert "<blockquote>" not in reference


def test_a_broken_link_ends_the_build(tmp_path: Path) -> None:
    """What makes `site` a test: the settings that it is built with do stop at an anchor that is not there."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    site_settings = {name: settings[name] for name in ("site_name", "strict", "validation")}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(site_settings), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Page\n\n[elsewhere](#nowhere)\n")
    finished = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 1
    assert "nowhere" in finished.stderr


def test_pages_opened_from_a_folder_work_in_a_browser(site: Path, tmp_path: Path) -> None:
    with chromium(tmp_path) as browser:
        browser.open(site / "how-to/stability.html")
        browser.driver.find_element(By.CSS_SELECTOR, ".md-search__input").send_keys("kappa")
        locator = (By.CSS_SELECTOR, ".md-search-result__meta")
        WebDriverWait(browser.driver, 10).until(lambda driver: "matching" in driver.find_element(*locator).text)
        # Files that are opened are not listed, requests are, whether they are answered or not.
        assert browser.ask("performance.getEntriesByType('resource').map((entry) => entry.name)") == []
        for page in ("index.html", "tutorial.html", "reference/cli.html", "benchmarks.html"):
            browser.open(site / page, width=390)
            assert browser.overflow() == 0, page
        assert browser.complaints() == []
        # The copy button of an example copies its commands alone.
        browser.open(site / "tutorial.html")
        buttons = "[...document.querySelectorAll('.language-console button')]"
        WebDriverWait(browser.driver, 10).until(lambda _: browser.ask(f"{buttons}.length"))
        copied = browser.ask(f"{buttons}.map((button) => button.closest('[data-copy]').dataset.copy)")
        page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
        examples = "".join(re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
        assert "\n".join(copied) == "\n".join(re.findall(r"^\$ ((?:.*\\\n)*.*)$", examples, re.MULTILINE))
