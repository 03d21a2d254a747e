"""A headless browser, and the queries of the tests."""

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


class Browser:
    """Chromium with a page open."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self.runs_scripts = True

    def open(self, page: Path, *, width: int = 1280, media: str = "", scheme: str = "light") -> None:
        """Open a page at a width, in pixels, as on a screen or, media='print', as on paper, and draw it."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self.driver.get(page.as_uri())
        if self.runs_scripts:
            self.wait_until_drawn()

    def unfold(self) -> None:
        """Open all parts of the page, and draw them."""
        self.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
        self.wait_until_drawn()

    def ask(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        return self.driver.execute_script(f"return {script}")

    def wait_until_drawn(self) -> None:
        """Return after two frames; before, what was just opened has neither text nor a name for screen readers."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def complaints(self) -> list[str]:
        """The messages of the console since the last call."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries]

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(self.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    @contextmanager
    def without_scripts(self) -> Iterator[None]:
        """Pages that are opened meanwhile run no scripts."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.runs_scripts = False
            yield
        finally:
            self.runs_scripts = True
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def printed(self) -> bytes:
        """The page as a PDF."""
        pdf = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
        return base64.b64decode(pdf["data"])


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser of its own; without one the test is skipped, or fails where METAEVAL_BROWSER is 'required'."""
    binary = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    driver_path = shutil.which(DRIVER)
    if binary is None or driver_path is None:
        missing = BROWSERS[0] if binary is None else DRIVER
        reason = f"{missing} is missing: apt-get install chromium chromium-driver"
        if os.environ.get("METAEVAL_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in (*SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
