"""Rows of the table that validate.py prints: quantity, measured, expected, tolerance, pass."""
import math
from dataclasses import dataclass


@dataclass
class Row:
    case: str
    quantity: str
    measured: str
    expected: str
    tolerance: str
    passed: object  # True, False, or None: reported without a requirement


class Table:
    """Collects the rows of one case."""

    def __init__(self, case):
        self.case = case
        self.rows = []

    def _add(self, quantity, measured, expected, tolerance, passed):
        self.rows.append(Row(self.case, quantity, measured, expected, tolerance, passed))
        print(line(self.rows[-1]), flush=True)

    def near(self, quantity, measured, expected, relative, unit="", digits=6):
        """|measured / expected - 1| <= relative."""
        deviation = measured / expected - 1
        self._add(quantity, f"{measured:.{digits}f} {unit} ({100 * deviation:+.4f} %)".replace("  ", " "),
                  f"{expected:.{digits}f} {unit}".strip(), f"{100 * relative:g} %", bool(abs(deviation) <= relative))

    def at_least(self, quantity, measured, bound):
        self._add(quantity, number(measured), f">= {number(bound)}", "", bool(measured >= bound))

    def at_most(self, quantity, measured, bound):
        self._add(quantity, number(measured), f"<= {number(bound)}", "", bool(measured <= bound))

    def within(self, quantity, measured, low, high):
        self._add(quantity, f"{measured:.3f}", f"{low:.2f} .. {high:.2f}", "", bool(low <= measured <= high))

    def equal(self, quantity, measured, expected):
        self._add(quantity, str(measured), str(expected), "exact", measured == expected)

    def note(self, quantity, measured):
        """Reported, nothing required."""
        self._add(quantity, measured if isinstance(measured, str) else number(measured), "", "", None)


def number(value):
    if value == 0 or (math.isfinite(value) and 1e-3 <= abs(value) < 1e4):
        return f"{value:.4g}"
    return f"{value:.2e}"


STATE = {True: "pass", False: "FAIL", None: "-"}


def line(row):
    return (f"{row.case:14} {row.quantity:58} {row.measured:30} {row.expected:18} {row.tolerance:8} "
            f"{STATE[row.passed]}")


def heading():
    return f"{'case':14} {'quantity':58} {'measured':30} {'expected':18} {'tolerance':8} result"


def markdown(rows):
    lines = ["| quantity | measured | expected | tolerance | |", "|---|---|---|---|---|"]
    for row in rows:
        quantity = row.quantity.replace("|", "\\|")  # |S11|
        lines.append(f"| {quantity} | {row.measured} | {row.expected} | {row.tolerance} | {STATE[row.passed]} |")
    return "\n".join(lines)
