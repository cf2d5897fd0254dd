"""Articles of an encyclopedia made by hand, for the tests of what writes them as pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from drzero.encyclopedia.values import Imprint, Reference, Section, Source, Statement, SubjectArticle
from tests.samples import CITATION

KITCHEN = Source("zim-1", "kitchen", "Kitchen", "2026-01", "eng", "Cooks", "Press", "CC BY-SA 4.0", "https://k.example")
MATBAKH = Source("zim-2", "matbakh", "مطبخ", "2026-02", "ara", "طهاة", "", "", "")
IMPRINT = Imprint("Kitchen lore", "What cooks know", "en", "2026-03-04", "Cooks", "drzero")
SALT = SubjectArticle(
    slug="salt",
    title="Salt",
    aliases=("Sodium chloride", "Table salt"),
    lead=(Statement("Salt is a mineral.", (1,), ("n1",), "What is salt?", "current", archives=2),),
    sections=(
        Section(
            "Facts",
            (
                Statement("Salt tastes salty.", (2,), ("n2",), "How does salt taste?", "stale"),
                Statement("Salt melts at 801 degrees.", (1, 2), ("n3",), "When does salt melt?", "disputed"),
            ),
        ),
        Section("Use", (Statement("pot.add(salt)\nif pot < 3:\n    stir()", (1,), ("n4",), "Code?", "current"),)),
    ),
    references=(
        Reference(1, replace(CITATION, quote="Salt is\na mineral")),
        Reference(2, replace(CITATION, quote="it tastes <b>salty</b> & good", heading=(), start=7, end=9)),
    ),
    see_also=(("milh", "ملح"),),
    sources=(KITCHEN,),
    profile="wikipedia",
    updated="2026-03-04",
)
MILH = SubjectArticle(
    slug="milh",
    title="ملح",
    aliases=(),
    lead=(Statement("الملح معدن.", (1,), ("n5",), "ما هو الملح؟", "current"),),
    sections=(),
    references=(Reference(1, replace(CITATION, zim_id="zim-2", quote="الملح معدن", title="ملح", path="ملح")),),
    see_also=(("salt", "Salt"),),
    sources=(MATBAKH,),
    profile="wikipedia",
    updated="2026-02-02",
)
ODD = SubjectArticle(
    slug="a-b",
    title="<script>alert(1)</script> \"A\" | 'B' # & \x00\u202e\ud800",
    aliases=("a & b",),
    lead=(),
    sections=(Section("Facts", (Statement("1 < 2 </p> & {{ 3 }}\u202e\x00", (1,), ("n6",), "1 < 2?", "current"),)),),
    references=(Reference(1, replace(CITATION, zim_id="zim-9", path='A/"odd" <path>', title="<i>Odd</i>")),),
    see_also=(),
    sources=(Source("zim-9", "", "", "", "", "", "", "", "javascript:alert(2)"),),
    profile="wikipedia",
    updated="2026-01-01",
)
ARTICLES = (SALT, MILH, ODD)


def many(count: int, statements: int = 5) -> Iterator[SubjectArticle]:
    """`count` articles of so many statements each, one in memory at a time; no two texts are the same."""
    for number in range(count):
        said = tuple(
            Statement(
                f"Mineral {number} has property {(number * 7919 + place) % 9973} in place {place}.",
                (place + 1,),
                (f"n{number}-{place}",),
                f"What of mineral {number} in place {place}?",
                "current",
            )
            for place in range(statements)
        )
        references = tuple(
            Reference(place + 1, replace(CITATION, path=f"A/{number}", quote=one.text, start=place, end=place + 60))
            for place, one in enumerate(said)
        )
        title = f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[number % 26]}ite {number}"
        yield replace(
            SALT,
            slug=title.lower().replace(" ", "-"),
            title=title,
            aliases=(f"Stone {number}",),
            lead=said[:1],
            sections=(Section("Facts", said[1:]),),
            references=references,
            see_also=(),
        )
