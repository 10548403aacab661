"""Headless Chromium for the cases of pages: Debian's chromium, chromium-driver and python3-selenium."""

import contextlib
import os
import shutil
import sys
import tempfile
import time

from cli_command import check

SKIPPED = 77
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000", "--force-prefers-reduced-motion",
             "--disable-extensions", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND")


def needs_browser():
    missing = [package for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")) if not shutil.which(program)]
    try:
        import selenium  # noqa: F401
    except ImportError:
        missing.append("python3-selenium")
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (scripts/setup)")
        sys.exit(SKIPPED)


def until(condition, message, seconds=60):
    """What the condition returns, as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError(message)


class Page:
    def __init__(self, driver):
        self.driver = driver

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def shown(self):
        """Numbers of the runs that the filter leaves."""
        return self.js("return [...heddle.state.shown].sort((a, b) => a - b)")

    def until(self, script, message):
        return until(lambda: self.js(f"return {script}"), message)

    def rows(self, section, data):
        """Rows that a chart's data set has; None: it is not drawn yet."""
        return self.js("const chart = document.querySelector(`#${arguments[0]} .chart`)?.chart; return chart ? chart.data(arguments[1]) : null", section, data)

    def keys(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def to(self, selector):
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)

    def console(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


@contextlib.contextmanager
def opened(path, draw=True):
    """The page, with everything drawn unless `draw` says otherwise. At the end its console must be empty."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as profile:
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(service=Service(shutil.which("chromedriver"), env={**os.environ, "HOME": profile}), options=options)
        try:
            driver.get(path.as_uri())
            page = Page(driver)
            if draw:
                page.js("heddle.drawAll()")
                page.until("document.querySelectorAll('.chart').length > 0 && [...document.querySelectorAll('.chart')].every((chart) => chart.chart)", "charts are not drawn")
            yield page
            console = page.console()
            check(not console, f"the console says {console}")
        finally:
            driver.quit()
