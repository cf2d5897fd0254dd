"""drzero.loop.facts.quantities: a claim's numbers against the evidence's."""

from __future__ import annotations

import pytest

from drzero.loop.facts.quantities import number_fault


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It has 1,000 seats.", "It has a thousand seats."),
        ("It has 1.4 million people.", "It has 1.4m people."),
        ("It won 12 prizes.", "It won twelve prizes."),
        ("The twelfth president.", "The 12th president."),
        ("Season 8 began.", "The eighth season began."),
        ("Half of the land.", "50 % of the land."),
        ("A third of the land.", "33% of the land."),
        ("Two-thirds voted.", "66.7% voted."),
        ("12 km high.", "12 kilometres high."),
        ("It costs $5 million.", "It costs 5 million dollars."),
        ("It was 20 °C.", "It was 20 degrees Celsius."),
        ("More than 100 people came.", "120 people came."),
        ("More than 100 people came.", "About 120 people came."),
        ("At least 100 people came.", "Over 100 people came."),
        ("Fewer than 100 people came.", "80 people came."),
        ("About 2,000 people came.", "1,987 people came."),
        ("At most 4 tablets.", "No more than 4 tablets."),
        ("At least 4 tablets.", "Not less than 4 tablets."),
        ("At most 4 tablets.", "Do not take more than 4 tablets."),
        ("The speed was up to 100 km/h.", "The speed never exceeded 100 km/h."),
        ("100 people came.", "About 100 people came."),
        ("Take 4 tablets a day.", "Take 4 tablets daily."),
        ("It drove 90 km/h.", "It drove 90 kilometres per hour."),
        ("Opens at 21:45.", "Opens at 9:45 p.m. every day."),
        ("Opens at 9:45.", "Opens at 9:45 pm."),
        ("Opens at 9 o'clock.", "Opens at 9:00."),
        ("Opens at 9.", "Opens at 9 am."),
        ("It has 1e6 cells.", "It has one million cells."),
        ("It lies at 28.5°.", "It lies at 28.5°W."),
        ("It fell from 900 to 500.", "It fell from 900 men to about 500."),
        ("Lyon beat Metz 3-1.", "Metz lost 1-3."),
        ("It is 2 km long.", "It is 2,000 m long."),
        ("It took 12 hours.", "It took 12 h."),
        ("It took 90 minutes.", "It took 1.5 hours."),
        ("It weighs 0.5 kg.", "It weighs 500 grams."),
        ("The two men met.", "Both men met."),
        ("No one of the 0 winners.", "There were no winners."),
        ("It happened in the 1960s.", "It happened in 1964."),
        ("It happened in the late 1960s.", "It happened in 1968."),
        ("He was born in the forties.", "He was born in 1947."),
        ("He was born in the '60s.", "He was born in the 1960s."),
        ("It is of the 19th century.", "It was built in 1854."),
        ("He worked for 50 years.", "He worked for five decades."),
        ("It is 50 years old.", "It is a 50-year-old house."),
        ("He was aged 50.", "He was 50 years old."),
        ("One of them won.", "He won."),
        ("The first one won.", "He won."),
        ("It weighs 5 pounds.", "It weighs 5 lb."),
        ("It costs 5 pounds.", "It costs £5."),
    ],
)
def test_quantities_agree_in_every_form(claim: str, evidence: str) -> None:
    assert number_fault(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "code", "reason"),
    [
        ("It won 18 awards.", "It won 17 awards.", "number", "The evidence says 17, the claim 18."),
        ("It won 18 awards.", "It won awards.", "number", "The evidence does not state 18."),
        ("他出生于1902年。", "他出生于1901年。", "number", "The evidence says 1901, the claim 1902."),
        ("It opened in 1913.", "It opened in 1931.", "number", "The evidence says 1931, the claim 1913."),
        ("The 12th man.", "The thirteenth man.", "number", "The evidence says thirteenth, the claim 12th."),
        ("A quarter of the land.", "33% of the land.", "number", "The evidence does not state A quarter."),
        (
            "It won 12 awards.", "It won 17 awards and had 12 nominations.", "number",
            "The evidence says 17, the claim 12, of the same.",
        ),
        ("12 km high.", "12 miles high.", "unit", "The evidence says 12 miles, the claim km."),
        ("12 km high.", "12 high.", "unit", "The evidence says 12, but not km."),
        ("5 mg a day.", "5 mcg a day.", "unit", "The evidence says 5 µg, the claim mg."),
        ("39 °C here.", "-39 °C here.", "number", "The evidence says -39 °C, the claim 39 °C."),
        ("5 million euros.", "5 billion euros.", "number", "The evidence says €5 billion, the claim €5 million."),
        ("10^6 cells.", "10^7 cells.", "number", "The evidence says 10^7, the claim 10^6."),
        ("It took 6 hours.", "It took 1 hour.", "number", "The evidence says 1 hour, the claim 6 hours."),
        ("5 inches and 8 hours.", "8 hours and 4 inches.", "number", "The evidence says 4 inches, the claim 5 inches."),
        ("6 hours and 8 hours.", "8 hours.", "number", "The evidence does not state 6 hours."),
        ("From 1913 to 1925.", "From 1913.", "number", "The evidence does not state 1925."),
        ("5 percentage points.", "5 %.", "unit", "The evidence says 5 %, the claim percentage points."),
        ("Opens at 9 am.", "Opens at 9 pm.", "unit", "The evidence says 9 pm, the claim am."),
        ("Opens at 9:45 pm.", "Opens at 9:45.", "unit", "The evidence says 9:45, the claim pm."),
        ("Opens at 9:45.", "9:30, shuts at 10:45.", "number", "The evidence says 9:30, the claim 9:45."),
        ("It has 1e6 cells.", "It has 1e9 cells.", "number", "The evidence says 1e9, the claim 1e6."),
        ("It is 0x10.", "It is 0x20.", "number", "The evidence does not state 0x10."),
        ("At 28.5°E.", "At 28.5°W.", "unit", "The evidence says 28.5 °W, the claim °E."),
        ("4 pills a week.", "4 pills per day.", "unit", "The evidence says 4 per day, the claim per week."),
        ("5 mg/kg.", "5 mg/l.", "unit", "The evidence says 5 mg per l, the claim per kg."),
        ("From 500 to 900.", "From 900 to 500.", "number", "The evidence has 900 before 500, the claim behind it."),
        ("It won 1-3.", "It won 3-1.", "number", "The evidence has 3 before 1, the claim behind it."),
        ("It is 2 km long.", "It is 200 m long.", "number", "The evidence does not state 2 km."),
        ("12 people.", "12 km.", "unit", "The evidence says 12 km, the claim no unit."),
        ("5 million euros.", "$5 million.", "unit", "The evidence says $5 million, the claim €."),
        ("5 GB.", "5 MB.", "unit", "The evidence says 5 MB, the claim GB."),
        (
            "More than 100 came.", "Fewer than 100 came.", "bound",
            "The evidence sets other bounds to 100 than the claim.",
        ),
        (
            "More than 4 tablets.", "No more than 4 tablets.", "bound",
            "The evidence sets other bounds to 4 than the claim.",
        ),
        (
            "Fewer than 4 tablets.", "No fewer than 4 tablets.", "bound",
            "The evidence sets other bounds to 4 than the claim.",
        ),
        (
            "Take more than 4 tablets.", "Do not take more than 4 tablets.", "bound",
            "The evidence sets other bounds to 4 than the claim.",
        ),
        ("More than 100 came.", "100 came.", "bound", "The evidence sets other bounds to 100 than the claim."),
        ("100 came.", "Up to 100 came.", "bound", "The evidence sets other bounds to 100 than the claim."),
        (
            "More than 100 people came.", "More than 120 people came.", "number",
            "The evidence says 120, the claim 100.",
        ),
        ("About 6,200 islands.", "About 6,000 islands.", "number", "The evidence says 6,000, the claim 6,200."),
        ("In the 1960s.", "In 1974.", "number", "The evidence does not state 1960s."),
        ("In the early 1960s.", "In 1968.", "number", "The evidence does not state 1960s."),
        ("In 1964.", "In the 1960s.", "number", "The evidence does not state 1964."),
        ("In the 18th century.", "In 1854.", "number", "The evidence does not state 18th."),
        ("It fell in 44 BC.", "It fell in 44 AD.", "number", "The evidence does not state 44 BC."),
        ("Till 7 May 1931.", "Till 8 May 1931.", "date", "The evidence says 8 May 1931, the claim 7 May 1931."),
    ],
)  # fmt: skip
def test_quantities_fault_names_both_values(claim: str, evidence: str, code: str, reason: str) -> None:
    fault = number_fault(claim, evidence)
    assert fault is not None
    assert (fault.code, fault.reason) == (code, reason)


def test_quantities_another_value_contradicts_and_an_absent_one_does_not() -> None:
    other, absent = number_fault("It won 18 awards.", "It won 17 awards."), number_fault("It won 18 awards.", "It won.")
    assert other is not None
    assert absent is not None
    assert (other.verdict, absent.verdict) == ("contradicted", "unsupported")
