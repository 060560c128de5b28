"""Tables of text: for a terminal of so many columns, as Markdown, and as LaTeX."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

WIDTH = 80
GAP = 2
LEAST, LEAST_FOLDED = 8, 12  # to which a column of text is cut or folded for others' sake


@dataclass
class Table:
    """Cells of text under headings; `right` says of each column whether it is aligned so.

    Headings and cells may have several lines. `title` and `lines` stand above and below. The
    first `stiff` columns, and numbers, are never cut short.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[bool]
    title: str = ""
    lines: list[str] = field(default_factory=list)
    stiff: int = 0

    def terminal(self, width: int = WIDTH, *, fold: bool = False) -> str:
        """Return the table in at most `width` columns.

        Where it is wider, its text is cut short (with `fold`, broken into lines); the columns
        that then still find no room are left out and named below.
        """
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table as RichTable

        widths = self.fitted(width, LEAST_FOLDED if fold else LEAST)
        # Between columns rich draws one space itself.
        grid = RichTable(box=SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False)
        grid.show_edge = False
        for heading, right, room in zip(self.headings, self.right, widths, strict=False):
            grid.add_column(
                heading,
                justify="right" if right else "left",
                width=room,
                no_wrap=not fold,
                overflow="fold" if fold else "ellipsis",
            )
        for row in self.rows:
            grid.add_row(*row[: len(widths)])
        out = io.StringIO()
        console = Console(
            file=out, width=width, color_system=None, markup=False, highlight=False, emoji=False
        )
        if self.title:
            console.print(self.title)
        console.print(grid)
        if left_out := self.headings[len(widths) :]:
            console.print(f"No room for {', '.join(left_out)}")
        for line in self.lines:
            console.print(line)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())

    def split(self, width: int = WIDTH) -> list["Table"]:
        """Return the table as several that fit when folded, each with the first column.

        The title stands above the first of them, the lines below the last.
        """
        parts, rest = [], self
        while (count := len(rest.fitted(width, LEAST_FOLDED))) < len(rest.headings):
            count = max(count, 2)
            parts.append(replace(rest._columns(range(count)), lines=[]))
            rest = replace(rest._columns([0, *range(count, len(rest.headings))]), title="")
        return [*parts, rest]

    def _columns(self, places: Sequence[int]) -> "Table":
        return replace(
            self,
            headings=[self.headings[i] for i in places],
            rows=[[row[i] for i in places] for row in self.rows],
            right=[self.right[i] for i in places],
        )

    def fitted(self, width: int, least: int = LEAST) -> list[int]:
        """Return the widths of the columns that find room, the first ones.

        Columns of text give way, the widest first, down to `least`; then columns go, from the
        last. The first column stays, cut if need be.
        """
        widths = [
            max(_width(text) for text in column)
            for column in zip(self.headings, *self.rows, strict=True)
        ]
        while widths[1:] and _total(widths) > width:
            text = [i for i in range(self.stiff, len(widths)) if not self.right[i]]
            widest = max(text, key=widths.__getitem__, default=None)
            if widest is None or widths[widest] <= least:
                widths.pop()
            else:
                widths[widest] -= 1
        return [min(widths[0], width), *widths[1:]]

    def markdown(self) -> str:
        """Return the table whole, as Markdown."""
        rule = ["---:" if right else "---" for right in self.right]
        rows = [self.headings, *self.rows]
        escaped = [[text.replace("|", "\\|") for text in row] for row in rows]
        lines = ["| " + " | ".join(row) + " |" for row in [escaped[0], rule, *escaped[1:]]]
        table = "\n".join(" ".join(line.splitlines()) for line in lines)
        title = [f"**{self.title}**"] if self.title else []
        return "\n\n".join([*title, table, *self.lines])

    def latex(self) -> str:
        """Return the table whole, as LaTeX to `\\input`: a `tabular` that needs `booktabs`.

        The title is a comment, for a caption; the lines below stand under the rules.
        """
        columns = "".join("r" if right else "l" for right in self.right)
        heading, *rows = [
            " & ".join(_latex(" ".join(text.split())) for text in row) + r" \\"
            for row in [self.headings, *self.rows]
        ]
        foot = [
            rf"\multicolumn{{{len(columns)}}}{{p{{\linewidth}}}}{{\footnotesize {_latex(line)}}} \\"
            for line in self.lines
        ]
        body = [heading, r"\midrule", *rows, r"\bottomrule", *foot]
        title = [f"% {' '.join(self.title.split())}"] if self.title else []
        return "\n".join(
            [*title, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *body, r"\end{tabular}"]
        )


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "–": "--", "×": r"$\times$", "½": r"$\frac{1}{2}$", "†": r"\dag{}", "‡": r"\ddag{}",
    "§": r"\S{}", "¶": r"\P{}", "‖": r"$\|$",
}  # fmt: skip


def _latex(text: str) -> str:
    """Return text with what LaTeX reads otherwise escaped.

    >>> _latex("my_player.py: 50 % – 6×4")
    'my\\\\_player.py: 50 \\\\% -- 6$\\\\times$4'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, text.splitlines() or [""]))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
