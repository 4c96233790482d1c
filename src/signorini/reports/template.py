"""The template of all pages: one HTML file with style, plots and films inside, which opens without a network."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1180px; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { margin-bottom: .2rem } h2 { margin: 2rem 0 .6rem; border-bottom: 1px solid #e4e1da; padding-bottom: .2rem }
.verdict { font-size: 1.1rem; padding: .7rem 1rem; border-left: 5px solid #0b7a4b; background: #f1f7f3 }
.verdict.warn { border-color: #e0a021; background: #fdf7e7 } .verdict.fail { border-color: #b3261e; background: #fbeeec }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
th, td { text-align: right; padding: .25rem .7rem; border-bottom: 1px solid #ddd; vertical-align: top }
td { white-space: nowrap } th.text { text-align: left } td.text { white-space: normal; text-align: left; min-width: 14rem }
th:first-child, td:first-child { text-align: left }
.bad { color: #b3261e; font-weight: 600 } .key { display: inline-block; width: .8em; height: .8em; border-radius: 2px }
.films, .plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); gap: 1rem }
.bar { display: flex; height: 26px; border-radius: 4px; overflow: hidden } .bar span { display: block }
.legend span.item { margin-right: 1.1em; white-space: nowrap }
video, svg, img { width: 100% } figcaption { margin-top: .6rem }
video { background: #f4f2ee } figure { margin: 0 } .reason, .note { color: #555 }
svg { font: 11px system-ui, sans-serif } .title { font-size: 13px; font-weight: 600 } .tick { fill: #555 }
.grid { stroke: #e4e4e4 } .line { fill: none; stroke-width: 1.6; stroke-linejoin: round }
.cross { fill: none; stroke-width: 1.5 }
"""


def write_html(path: Path, title: str, parts: Iterable[str], *, style: str = "") -> Path:
    """Write a page with this title, these parts of HTML and further rules of style, all at once."""
    text = "\n".join(
        [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'><link rel='icon' href='data:,'>",
            f"<title>{html.escape(title)}</title><style>{STYLE}{style}</style></head><body>",
            f"<h1>{html.escape(title)}</h1>",
            *parts,
            "</body></html>",
        ]
    )
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return path


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Sequence[int] = ()) -> str:
    """A table of escaped cells; the columns `texts` may break lines. A cell that begins with `!` is marked as bad."""
    starts = ['<th class="text">' if k in texts else "<th>" for k in range(len(headings))]
    head = "".join(f"{start}{html.escape(name)}</th>" for start, name in zip(starts, headings, strict=True))
    body = []
    for row in rows:
        cells = []
        for k, cell in enumerate(row):
            classes = [*(["text"] if k in texts else []), *(["bad"] if cell.startswith("!") else [])]
            style = f' class="{" ".join(classes)}"' if classes else ""
            cells.append(f"<td{style}>{html.escape(cell.removeprefix('!'))}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def film(file: Path, caption: str = "", *, controls: str = "controls muted loop playsinline") -> str:
    """A film with its data inside of the page; `caption` is HTML."""
    data = base64.b64encode(file.read_bytes()).decode()
    text = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f'<figure>{text}<video src="data:video/mp4;base64,{data}" {controls}></video></figure>'


def picture(file: Path, caption: str) -> str:
    """A picture (PNG) with its data inside of the page, below its caption, which is escaped."""
    data, text = base64.b64encode(file.read_bytes()).decode(), html.escape(caption)
    words = f'<figcaption class="note">{text}</figcaption>'
    return f'<figure>{words}<img src="data:image/png;base64,{data}" alt="{text}"></figure>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of escaped text."""
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{html.escape(text)}</p>"
