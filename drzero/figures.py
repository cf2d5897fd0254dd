"""What `drzero eval` prints: figures → text for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drzero.judges import overriding_note
from drzero.output import table

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


def comparison_text(figures: Mapping[str, Any]) -> str:
    """What `eval evolve` prints: how each state did, and what each differs by from the first, with how sure that is."""
    keys = ("solved", "score", "right", "supported", "abstained", "found", "brier", "proposed", "tokens")
    states = [
        (name, *(f"{row[key]:.0f}" if key == "tokens" else _share(row[key]) for key in keys))
        for name, row in figures["states"].items()
    ]
    differences = [
        (name, key, f"{row['difference']:+.3f}", _range(row), row["gained"], row["lost"], f"{row['p']:.3f}")
        for name, measured in figures["comparisons"].items()
        for key, row in measured.items()
    ]
    return "\n\n".join(
        (
            f"{figures['n']} challenges that were set aside, each asked once under every state.",
            table(("state", *keys), states),
            table(
                (f"against {figures['against']}", "of", "difference", "95 % interval", "up", "down", "p"), differences
            ),
        )
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
