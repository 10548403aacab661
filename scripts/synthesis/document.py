"""A page that is written twice: as Markdown, and as HTML that needs no other file. Texts may hold `code`, **bold** and
[links](page.md), which lead to the page of the same kind."""

import html
import re

STYLE = """body{font:14px/1.45 sans-serif;color:#222;max-width:1100px;margin:24px auto;padding:0 16px}
h1{font-size:22px}h2{font-size:17px;margin-top:28px;border-bottom:1px solid #ccc}
table{border-collapse:collapse;margin:8px 0}td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}
th{background:#f2f2f2}td.w,th.w{text-align:left}
code{background:#f2f2f2;padding:0 3px}summary{cursor:pointer}"""


def link(match):
    return f'<a href="{re.sub("[.]md$", ".html", match.group(2))}">{match.group(1)}</a>'


def rich(text):
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(str(text)))
    return re.sub(r"\[([^]]*)\]\(([^)]*)\)", link, re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", marked))


def is_number(text):
    return re.fullmatch(r"[-+x×]?\s*[\d,. ]+\s*(%|x)?|-", str(text).strip()) is not None


class Document:
    def __init__(self, title):
        self.title = title
        self.markdown = [f"# {title}", ""]
        self.html = [f"<h1>{rich(title)}</h1>"]

    def heading(self, text):
        self.markdown += [f"## {text}", ""]
        self.html.append(f"<h2>{rich(text)}</h2>")

    def text(self, text):
        self.markdown += [text, ""]
        self.html.append(f"<p>{rich(text)}</p>")

    def list(self, texts):
        self.markdown += [f"* {text}" for text in texts] + [""]
        self.html.append("<ul>" + "".join(f"<li>{rich(text)}</li>" for text in texts) + "</ul>")

    def table(self, header, rows, only_html=None):
        """only_html: the table is folded below these words, and left out of the Markdown."""
        words = [any(not is_number(row[i]) for row in rows) for i in range(len(header))]
        if only_html is None:
            self.markdown.append("| " + " | ".join(header) + " |")
            self.markdown.append("|" + "|".join("---" if word else "---:" for word in words) + "|")
            self.markdown += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
            self.markdown.append("")

        def cells(row, tag):
            return "".join(f"<{tag}{' class=w' if word else ''}>{rich(cell)}</{tag}>" for cell, word in zip(row, words))

        table = (f"<table><tr>{cells(header, 'th')}</tr>" + "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
                 + "</table>")
        self.html.append(table if only_html is None else
                         f"<details><summary>{rich(only_html)}</summary>{table}</details>")

    def figure(self, svg):
        """HTML only."""
        self.html.append(svg)

    def as_markdown(self):
        return "\n".join(self.markdown).rstrip() + "\n"

    def as_html(self):
        body = "\n".join(self.html)
        return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                f"<title>{html.escape(self.title)}</title>\n<style>{STYLE}</style></head>\n"
                f"<body>\n{body}\n</body></html>\n")
