"""Cases of cli_cases.py: the page of heddle report in a browser."""

import base64

from cli_browser import needs_browser, opened, until
from cli_command import case, check
from cli_report_cases import make_runs, needs_page, page_data
from report_page_bench import grown

CHARTS = (("pareto", "runs"), ("roofline", "runs"), ("slots", "slots"))


def page_of_runs(c):
    needs_page(c)
    needs_browser()
    folders = make_runs(c)
    c.run("report", *folders, "-o", "page.html")
    return c.folder / "page.html"


@case
def report_page_filters_sorts_and_pins(c):
    path = page_of_runs(c)
    data = page_data(path)
    cycles = next(column["values"] for column in data["metrics"] if column["key"] == "cycles")
    with opened(path) as page:
        # In one call: the table may be drawn anew between two.
        order = lambda: page.js("return [...document.querySelectorAll('#runs tbody tr')].map((row) => Number(row.dataset.run))")  # noqa: E731
        check(order() == list(range(10)), f"runs {order()}")
        headings = [cell.text.replace("\n", " ") for cell in page.all("#runs thead th")]
        check(any("policy" in text for text in headings) and not any("platform" == text for text in headings), f"columns {headings}")

        page.one('#runs [data-sort="cycles"]').click()
        until(lambda: order() == sorted(range(10), key=lambda run: cycles[run]), "not sorted by cycles")
        check(page.one('#runs th[aria-sort="ascending"]').text.startswith("Cycles"), "the order is not said")
        page.one('#runs [data-sort="cycles"]').click()
        until(lambda: order()[0] == max(range(10), key=lambda run: cycles[run]), "not sorted the other way")

        page.one("#query").send_keys("bfs policy=gto cycles>1")
        until(lambda: page.shown() == [2, 3], f"the filter leaves {page.shown()}")
        until(lambda: "2 of 10 runs" in page.text("#shown"), "the number of runs is not said")
        for section, name in CHARTS:
            until(lambda s=section, n=name: {row["run"] for row in page.rows(s, n) or []} == {2, 3}, f"{section} is not filtered")
        page.one("#query").clear()
        page.one("#query").send_keys("nosuchkey=1")
        until(lambda: "nosuchkey" in page.text("#query-error"), "an unknown key is not reported")
        page.one("#clear").click()
        until(lambda: len(page.shown()) == 10, "the filter stays")

        # Relative values: a run is compared with the run of its own program that has the baseline's machine.
        page.js("document.querySelector('#runs tr[data-run=\"0\"] .pin').click()")
        until(lambda: page.js("return heddle.state.baseline") == 0, "not pinned")
        cell = "return document.querySelector('#runs tr[data-run=\"%d\"] .change')?.textContent"
        for run, base in ((2, 0), (6, 4)):
            percent = 100 * (cycles[run] / cycles[base] - 1)
            expected = "±0 %" if f"{abs(percent):.1f}" == "0.0" else f"{'+' if percent > 0 else '−'}{abs(percent):.1f} %"
            until(lambda r=run, e=expected: page.js(cell % r) == e, f"run {run}: {page.js(cell % run)}, not {expected}")


@case
def report_page_brushes_filter_every_chart(c):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    path = page_of_runs(c)
    with opened(path) as page:
        page.to("#keys")
        axis = '#keys .axis[data-key="core.scheduler.policy"]'
        hit = page.one(f"{axis} .hit")
        half = hit.rect["height"] / 2
        ActionChains(page.driver).move_to_element(hit).click_and_hold().move_by_offset(0, -int(half) + 2).release().perform()
        until(lambda: 0 < len(page.shown()) < 10, "dragging makes no brush")
        kept = page.shown()
        policies = set(page.js("return heddle.state.shown.map((run) => heddle.data.columns.get('core.scheduler.policy').at(run))"))
        check(len(policies) == 1, f"the brush keeps {policies}")
        for section, name in CHARTS:
            until(lambda s=section, n=name: {row["run"] for row in page.rows(s, n) or []} <= set(kept) and page.rows(s, n), f"{section} is not filtered")
        check(len(page.all("#runs tbody tr")) == len(kept), "the table is not filtered")
        check(policies.pop() in page.one("#chips .chip").text, "the brush is not named")
        page.one("#chips .chip").click()
        until(lambda: len(page.shown()) == 10, "the brush stays")

        # The same without a mouse.
        page.js("document.querySelector(arguments[0]).focus()", '#keys .axis[data-key="cycles"]')
        page.keys(Keys.ARROW_UP)
        until(lambda: 0 < len(page.shown()) < 10, "a key makes no brush")
        check(page.js("return document.activeElement.dataset.key") == "cycles", "the focus is lost")
        low = set(page.shown())
        ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.PAGE_UP * 4).key_up(Keys.SHIFT).perform()
        until(lambda: set(page.shown()) > low, "the brush does not grow")
        check("to" in page.js("return document.activeElement.getAttribute('aria-valuetext')"), "the brush is not said")
        page.keys(Keys.DELETE)
        until(lambda: len(page.shown()) == 10, "Delete drops no brush")


@case
def report_page_shows_details_by_keyboard_and_tooltip(c):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    path = page_of_runs(c)
    with opened(path) as page:
        page.js("document.querySelector('#runs tbody tr').focus()")
        page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        until(lambda: page.js("return heddle.state.detail") == 2, "Enter does not choose a run")
        page.keys(Keys.ARROW_DOWN, "b")
        until(lambda: page.js("return heddle.state.baseline") == 3, "b does not pin a run")
        check(page.js("return document.activeElement.dataset.run") == "3", "the focus is lost")
        until(lambda: "bfs_level" in page.text("#source") and "gto" in page.text("#source .note"), "not the source of the run")
        check(len(page.all("#source tbody tr")) > 20, "no lines")
        check(page.one("#source tbody .stack").get_attribute("aria-label"), "stalls are only colours")
        until(lambda: page.js("return document.querySelectorAll('#time .u-wrap').length") >= 3, "no series over time")
        check("SIMD efficiency" in page.text("#time") and "IPC" in page.text("#time"), "not these series")
        check("SIMT-induced deadlock" in page.text("#failures"), "no diagnosis")
        check("scoreboard" in page.text("#blocks table") and "gate equivalents in each core" in page.text("#blocks"), "no blocks")
        check(page.js("return document.querySelector('#machine svg').textContent").count("%") > 8, "no use of the machine")
        check("aware" in page.text("#machine svg") or "simt_stack" in page.text("#machine svg"), "not its mechanism")
        rows = page.rows("slots", "slots")
        for run in range(8):
            check(abs(sum(row["share"] for row in rows if row["run"] == run) - 1) < 1e-9, "issue slots are not 100 %")

        page.to("#slots .chart")
        canvas = page.one("#slots .chart svg")
        ActionChains(page.driver).move_to_element_with_offset(canvas, 100, 0).perform()
        until(lambda: page.js("const t = document.querySelector('#vg-tooltip-element'); return t?.classList.contains('visible') && t.textContent.includes('cause')"), "no tooltip")
        for theme in ("dark", "light"):
            page.js("const s = document.getElementById('theme'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", theme)
            until(lambda t=theme: page.js("return document.documentElement.dataset.theme") == t, "the theme stays")


@case
def report_page_is_printed_whole(c):
    path = page_of_runs(c)
    with opened(path) as page:
        page.js("const s = document.getElementById('theme'); s.value = 'dark'; s.dispatchEvent(new Event('change'))")
        pdf = base64.b64decode(page.driver.print_page())
        check(pdf.startswith(b"%PDF") and len(pdf) > 50_000, f"{len(pdf)} bytes of PDF")
        check(pdf.count(b"/Type /Page") > 3, "hardly a page")
        until(lambda: page.js("return document.documentElement.dataset.theme") == "dark", "the theme is not that of the screen any more")


@case
def report_page_of_many_runs_opens_as_fast_as_one_of_few(c):
    """What is built before the reader scrolls does not grow with the runs. report_page_bench.py measures the seconds."""
    text, seen = page_of_runs(c).read_text(), []
    for runs in (1_000, 10_000):
        path = c.folder / f"{runs}.html"
        path.write_text(grown(text, runs))
        with opened(path, draw=False) as page:
            page.until("heddle.shownAfter", "it is not shown")
            check(page.js("return heddle.data.runs.count") == runs, "not so many runs")
            check(page.js("return [...document.querySelectorAll('section.card')].some((section) => !section.querySelector('svg, canvas, table'))"), "everything is built at once")
            seen.append((page.js("return document.querySelectorAll('*').length"), page.js("return document.querySelectorAll('tr[data-run]').length"),
                         page.js("return document.querySelectorAll('.chart').length")))
    check(seen[1][0] < 1.05 * seen[0][0] and seen[1][1:] == seen[0][1:], f"elements, rows and charts: {seen}")
