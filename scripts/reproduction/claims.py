"""Published signs and orders beside ours: whether each holds. Ratios and means where a run may have no number."""


def over(above, below):
    return above / below if above is not None and below else None


def mean(values):
    """Arithmetic, as for averages of normalised times (A30); None if one has no number."""
    values = list(values)
    return sum(values) / len(values) if values and all(v is not None for v in values) else None


class Claims:
    """Our number for each published claim, and whether it has its sign or order."""

    def __init__(self):
        self.ours, self.held = {}, {}

    def add(self, claim, text, holds):
        self.ours[claim] = f"{text} ({'holds' if holds else 'does not hold'})"
        self.held[claim] = holds


def add_claim(claims, claim, values, text, holds):
    """Unless a run has no number."""
    if values and all(value is not None for value in values):
        claims.add(claim, text(), holds())
