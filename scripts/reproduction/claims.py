"""Published effects beside ours: whether each holds, judged by its size.

published.json says what a publication states in `effect`, as one of

  ratio     of two measurements; 1 is no effect. Holds if our gain or loss (ratio - 1) is within 30 % of the published one
  share     of a whole, a rate or a count; 0 is none. Holds within 30 % of it
  at_least, at_most   a bound. Holds if it is kept
  same      "no change", "negligible": holds within 5 % of this value
  order     an order or a sign that is stated without a size. The study says whether it holds

A value is a number, an interval [low, high], or several by name, of which each must hold. One claim may state several effects.
Without `effect` nothing is judged: the publication has no such number."""

import json
import pathlib

from tables import table

TOLERANCE = 0.3
SAME = 0.05
ROUNDING = 0.005  # of a published value such as 0 or .02
PUBLISHED = pathlib.Path(__file__).resolve().parent / "published.json"
SIZES, BOUNDS = ("ratio", "share"), ("at_least", "at_most", "same")


def published(study):
    return json.loads(PUBLISHED.read_text())[study]


def over(above, below):
    """None without one of them, or of nothing."""
    return above / below if above is not None and below else None


def mean(values):
    """Arithmetic; None if one has no number."""
    values = list(values)
    return sum(values) / len(values) if values and all(v is not None for v in values) else None


def signed(effect):
    return f"{100 * effect:+.1f} %"


class Judgement:
    """Of one value: whether it holds, and our effect beside the published one, as text."""

    def __init__(self, kind, theirs, ours):
        low, high = theirs if isinstance(theirs, list) else (theirs, theirs)
        wanted = min(max(ours, low), high)  # the published value that is nearest
        if kind in SIZES:
            none = 1 if kind == "ratio" else 0
            size = abs(wanted - none)
            self.off = abs(ours - wanted) / size if size > ROUNDING else abs(ours - wanted) / ROUNDING * TOLERANCE
            self.holds = self.off <= TOLERANCE + 1e-9
            self.text = f"{signed(ours - 1)} of {signed(wanted - 1)}" if kind == "ratio" else f"{ours:.3g} of {wanted:.3g}"
        elif kind == "same":
            self.off = abs(ours - wanted) / SAME
            self.holds, self.text = self.off <= 1 + 1e-9, f"{ours:.3g}, within 5 % of {wanted:.3g}"
        else:
            self.holds = ours >= low if kind == "at_least" else ours <= high
            self.off, self.text = abs(ours - wanted), f"{ours:.3g}, {kind.replace('_', ' ')} {wanted:.3g}"


def judge(kind, theirs, ours):
    """All named values; the text is that of the one which is farthest off."""
    if isinstance(theirs, dict):
        judged = {name: Judgement(kind, theirs[name], value) for name, value in ours.items()}
    else:
        values = ours if isinstance(ours, dict) else {"": ours}
        judged = {name: Judgement(kind, theirs, value) for name, value in values.items()}
    name = max(judged, key=lambda name: (not judged[name].holds, judged[name].off))
    return all(one.holds for one in judged.values()), f"{name} {judged[name].text}".strip()


def flat(values):
    """Of numbers by name, each; one that has no names is missing as a whole."""
    return [one for value in values for one in ((list(value.values()) or [None]) if isinstance(value, dict) else [value])]


class Claims:
    """Of a study: our text for each published claim, and the verdict."""

    def __init__(self, study):
        self.of = {claim["id"]: claim for claim in published(study)}
        self.texts, self.verdicts, self.held = {}, {}, {}

    def add(self, claim, text, needs=(), order=None, **ours):
        """`ours`: a number for each effect of the claim (ratio=, share= ...), or numbers by name. `text` and `order`, which says
        whether the stated order holds, are called only if all of them and all of `needs` are there: a run may not have passed, or
        not have been made."""
        effects = self.of[claim].get("effect", {})
        given = {*ours, *(["order"] if order is not None else [])}
        if given != set(effects):
            raise KeyError(f"{claim}: published are {', '.join(effects) or 'no effects'}, given {', '.join(given) or 'none'}")
        numbers = [*flat(ours.values()), *needs]
        if any(value is None for value in numbers) or (effects and not numbers):
            return
        self.texts[claim] = text()
        if not effects:
            return
        judged = [judge(kind, effects[kind], value) for kind, value in ours.items()]
        if order is not None:
            judged.append((order(), "order"))
        self.held[claim] = all(holds for holds, _ in judged)
        said = "; ".join(words for holds, words in judged if holds == self.held[claim])
        self.verdicts[claim] = f"{'holds' if self.held[claim] else '**does not hold**'}: {said}"

    def headline(self):
        """`12 of 25 hold: 7 of 15 sizes ...`"""
        def kind(claim):
            return next(one for kinds, one in ((SIZES, "size"), (BOUNDS, "bound"), (("order",), "order")) if set(self.of[claim]["effect"]) & set(kinds))

        def count(wanted):
            these = [held for claim, held in self.held.items() if kind(claim) == wanted]
            return f"{sum(these)} of {len(these)}"
        kinds = [f"{what}: {count(of)}" for of, what in (("size", "sizes within 30 % of the published gain or loss"), ("bound", "bounds"),
                                                         ("order", "orders without a size")) if of in map(kind, self.held)]
        return f"{sum(self.held.values())} of {len(self.held)} hold ({'; '.join(kinds)})"

    def comparison(self):
        """The published claims with our values and verdicts, then the explanations of the differences."""
        rows = [[c["what"], c["published"], c["where"], self.texts.get(name, "not measured in this run"), self.verdicts.get(name, "-")]
                for name, c in self.of.items()]
        notes = [f"* **{c['what']}**: {c['difference']}" for c in self.of.values() if c.get("difference")]
        return "\n\n".join([f"## Published and ours: {self.headline()}", table(["claim", "published", "where", "ours", "verdict"], rows),
                            *(["Why ours differ:\n\n" + "\n".join(notes)] if notes else [])])
