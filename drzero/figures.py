"""What `drzero eval` prints: figures → text for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drzero.judges import overriding_note
from drzero.output import table
from drzero.text import counted

_BAR = 40  # letters for a share of 1


def figures_text(figures: Mapping[str, Any]) -> str:
    """What `eval` prints: one figure a line, nested ones named by their path."""
    return table(("figure", "value"), list(_flat(figures)))


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, object]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name} › ")
        else:
            shown = f"{value:.3f}" if isinstance(value, float) else "–" if value is None else str(value)
            yield f"{prefix}{name}", shown


def calibration_text(figures: Mapping[str, Any]) -> str:
    """What `eval calibrate` prints: how well the probabilities hold, bin by bin, and from where to believe them."""
    refused = ", ".join(f"{code} {count}" for code, count in figures["refused"].items())
    left_out = [f"other checks refuse {sum(figures['refused'].values())} ({refused})"] if refused else []
    left_out += [f"{figures['unchecked']} could not be asked"] if figures["unchecked"] else []
    asked = f"Judge {figures['judge']}: asked about {figures['asked']} of {figures['n']} pairs"
    rows = [
        (f"{row['low']:.1f}–{row['high']:.1f}", row["n"], _share(row["probability"]), _share(row["rate"]), _bar(row))
        for row in figures["reliability"]
    ]
    quality = (
        f"Area under the curve {_share(figures['auc'])}, expected calibration error {figures['ece']:.3f} "
        f"({figures['ece_equal_mass']:.3f} over bins of equal size), Brier score {figures['brier']:.3f}."
    )
    alone = ", ".join(f"{name} {_share(area)}" for name, area in figures["signals"].items())
    parts = [
        "; ".join([asked, *left_out]) + ".",
        table(("probability", "pairs", "mean", "supported", "# supported, | mean"), rows),
        f"{quality} Of each signal alone the area is: {alone}.",
        *figures["notes"],
    ]
    if chosen := figures["threshold"]:
        unseen = figures["unseen"]
        parts.append(
            f"Believed from {chosen['probability']:.3f} on: precision {chosen['precision']:.3f} (at least "
            f"{chosen['precision_low']:.3f}, wanted {figures['target_precision']:g}) at recall {chosen['recall']:.3f}, "
            f"over {chosen['accepted']} claims. Where the threshold, too, is chosen without the pairs it is tried on: "
            f"precision {_share(unseen['precision'])} at recall {_share(unseen['recall'])}."
        )
    keys = ("n", "auc", "precision", "recall", "accepted")
    sources = [
        (name, *(_share(row.get(key)) if isinstance(row.get(key), float | None) else row[key] for key in keys))
        for name, row in figures["by_source"].items()
    ]
    parts.append(table(("source", "pairs", "auc", "precision", "recall", "accepted"), sources))
    if saved := figures.get("saved"):
        if instead := figures.get("min_probability"):
            parts.append(f"Kept in {saved}. But {overriding_note(instead)}: set it to 0 to believe this judge so.")
        else:
            parts.append(f"Kept in {saved}: this judge is believed so from now on in this workspace.")
    return "\n\n".join(parts)


MEASURES = {
    "solved": ("solved", "share of the challenges with an answer that is verified and right"),
    "score": ("score", "mean overall score of the answers, from 0 to 1; 0 for a challenge that was not solved"),
    "right": ("right", "share of answers that say what the reference says, verified or not"),
    "supported": ("supported", "share of answers that their citations support, right or not"),
    "abstained": ("no answer", "share of challenges without an answer; less is better"),
    "found": ("found all", "share of challenges whose evidence was wholly among the passages read"),
    "brier": ("confidence error", "mean squared error of the confidence in an answer (Brier score); less is better"),
    "proposed": ("questions kept", "share of the evidence of which a single new question passed every gate"),
    "tokens": ("tokens", "read and written by the writer for a challenge, on average"),
}
"""What `eval evolve` measures: the heading of each key, and what it means."""
FEW = 20  # challenges, of which only a great difference tells anything
_SURE = 0.05


def comparison_text(figures: Mapping[str, Any]) -> str:
    """What `eval evolve` prints: how each state did, what each differs by from the first, and what to make of it."""
    keys = [key for key in MEASURES if key != "proposed" or any(row[key] is not None for row in _states(figures))]
    states = [
        (name, *(f"{row[key]:.0f}" if key == "tokens" else _share(row[key]) for key in keys))
        for name, row in figures["states"].items()
    ]
    differences = [
        (
            name,
            MEASURES[key][0],
            f"{row['difference']:+.3f}",
            _range(row),
            row["gained"],
            row["lost"],
            f"{row['p']:.3f}",
        )
        for name, measured in figures["comparisons"].items()
        for key, row in measured.items()
    ]
    headings = ("state", "measure", "difference", "95 % interval", "higher", "lower", "by chance")
    parts = [
        f"{counted(figures['n'], 'challenge')} set aside, each asked once under every state.",
        table(("state", *(MEASURES[key][0] for key in keys)), states),
        "\n".join(f"{heading}: {means}" for heading, means in (MEASURES[key] for key in keys)),
    ]
    if differences:
        parts += [
            f"Against “{figures['against']}”:\n\n{table(headings, differences)}",
            "higher, lower: challenges with a higher and with a lower figure than there\n"
            "by chance: how likely chance alone makes so great a difference (exact sign test)",
        ]
    parts.append("\n".join(_verdicts(figures)))
    return "\n\n".join(part for part in parts if part)


def _states(figures: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return list(figures["states"].values())


def _verdicts(figures: Mapping[str, Any]) -> Iterable[str]:
    """A sentence on each state, by the challenges solved; and which states had nothing to make a difference with."""
    few = f"; {counted(figures['n'], 'challenge')} are too few to tell a small one" if figures["n"] < FEW else ""
    for name, measured in figures["comparisons"].items():
        solved = measured["solved"]
        of = f"{solved['gained']} more and {solved['lost']} fewer of {figures['n']:,}"
        if not solved["gained"] and not solved["lost"]:
            yield f"“{name}” solves the same challenges as “{figures['against']}”: no difference{few}."
        elif solved["p"] >= _SURE:
            yield f"“{name}” solves {of} than “{figures['against']}”: that may be chance{few}."
        else:
            better = "better" if solved["difference"] > 0 else "worse"
            yield f"“{name}” solves {of} than “{figures['against']}”: it is {better}, and hardly by chance."
    learnt = figures.get("learnt", {})
    empty = [f"“{name}”" for name in figures["comparisons"] if name in learnt and not learnt[name]["used"]]
    if empty:
        yield (
            f"Nothing has been learnt that {' or '.join(empty)} could use, so no difference is to be expected: "
            "`drzero evolve` for longer gives more to learn from."
        )


def unreached_note(figures: Mapping[str, Any]) -> str:
    """What is said when nothing is kept: the judge points the wrong way, or no threshold is precise enough."""
    if figures["notes"]:
        return (
            "A judge that points the wrong way is not to be believed from anywhere on, so nothing is kept: mend it as "
            "said above, or name another with --judge."
        )
    return (
        f"No threshold reaches a precision of {figures['target_precision']:g} on these pairs with any certainty, so "
        "nothing is kept: label more pairs, ask for less with --precision, or name another judge with --judge."
    )


def _bar(row: Mapping[str, Any]) -> str:
    """The share supported as a bar of #, with a | where it would end if the probabilities were true."""
    if not row["n"]:
        return ""
    line = ["#"] * round(row["rate"] * _BAR)
    mean = min(round(row["probability"] * _BAR), _BAR)
    line += ["."] * (mean + 1 - len(line))
    line[mean] = "|"
    return "".join(line)


def _range(row: Mapping[str, Any]) -> str:
    return f"{row['low']:+.3f} … {row['high']:+.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
