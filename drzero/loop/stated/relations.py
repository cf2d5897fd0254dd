"""What rows of labels and values state: which labels are understood, and how each is asked and told (data).

A label that is not here is not understood, and its row states nothing: "Type", "Other" or "Years active" say too
little, and who holds an office changes. `%` stands for the value, `{}` for the subject.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that a row may state.

    `reads` names how the value is read: "date", "names", "name", "place", "duration" or "quantity". `role` is what the
    value is to the subject, and `holder` the class of what has it. For two subjects, `smaller` tells of the one with
    the smaller value ("was released earlier"), and `event` names what happened to each where the values are dates.
    `thing` is the class of everything that has such a row, and one that needs no word for it, such as "person": a label
    that boxes of several kinds share never tells the class. `needs` are the classes of which alone the row is
    understood; both may be "" or empty.
    """

    name: str
    labels: tuple[str, ...]
    reads: str
    asks: str
    tells: str
    role: str = ""
    smaller: str = ""
    event: str = ""
    thing: str = ""
    holder: str = "person"
    needs: frozenset[str] = field(default_factory=frozenset)


OF_ONE_EDITION = "released recorded studio venue length label producer b-side a-side".split()
RECORDS = frozenset(("album", "single", "song", "extended play", "box set", "soundtrack"))


def _r(name: str, labels: str, reads: str, asks: str, tells: str, **more: str) -> Relation:
    needs = frozenset(more.pop("needs").split("|")) if "needs" in more else frozenset()
    return Relation(name, tuple(labels.split("|")), reads, asks, tells, **more, needs=needs)


_MUSIC = "|".join(sorted(RECORDS))
RELATIONS = (
    # Works
    _r("released", "released|release date|release dates", "date", "When was {} released?", "{} was released %.",
       smaller="was released earlier", event="the release of {}", needs=f"{_MUSIC}|film|movie|video game|software"),
    _r("published", "published|publication date|publish date", "date", "When was {} published?", "{} was published %.",
       smaller="was published earlier", event="the publication of {}"),
    _r("recorded", "recorded", "date", "When was {} recorded?", "{} was recorded %.", needs=_MUSIC),
    _r("studio", "studio", "place", "Where was {} recorded?", "{} was recorded at %.", needs=_MUSIC),
    _r("venue", "venue", "place", "At which venue was {} recorded?", "{} was recorded at %.", needs=_MUSIC),
    _r("length", "length", "duration", "What is the length of {}?", "{} has a length of %.", smaller="is shorter",
       needs=_MUSIC),
    _r("label", "label", "name", "Which record label released {}?", "{} was released by the record label %.",
       needs=_MUSIC),
    _r("songwriter", "songwriter|songwriters|writer|writers", "names", "Who wrote {}?", "{} was written by %.",
       role="the songwriter of {}", needs="single|song"),
    _r("producer", "producer|producers", "names", "Who produced {}?", "{} was produced by %.",
       role="the producer of {}", needs=f"{_MUSIC}|film|movie"),
    _r("composer", "composer|composers", "names", "Who composed {}?", "{} was composed by %.",
       role="the composer of {}", needs="single|song"),
    _r("lyricist", "lyricist|lyricists", "names", "Who wrote the lyrics of {}?", "The lyrics of {} were written by %.",
       role="the lyricist of {}", needs="single|song"),
    _r("b-side", "b-side", "title", "Which song is the B-side of {}?", "The B-side of {} is %.", needs="single|song"),
    _r("a-side", "a-side", "title", "Which song is the A-side of {}?", "The A-side of {} is %.", needs="single|song"),
    _r("directed", "directed by|director", "names", "Who directed {}?", "{} was directed by %.",
       role="the director of {}", needs="film|movie"),
    _r("screenplay", "screenplay by|written by", "names", "Who wrote {}?", "{} was written by %.",
       role="the writer of {}", needs="film|movie"),
    _r("film producer", "produced by", "names", "Who produced {}?", "{} was produced by %.",
       role="the producer of {}", needs="film|movie"),
    _r("starring", "starring", "names", "Which actors star in {}?", "{} stars %.", needs="film|movie"),
    _r("film music", "music by", "names", "Who wrote the music of {}?", "The music of {} was written by %.",
       role="the composer of the music of {}", needs="film|movie"),
    _r("cinematography", "cinematography", "names", "Who was the cinematographer of {}?",
       "The cinematographer of {} was %.", role="the cinematographer of {}", needs="film|movie"),
    _r("editing", "edited by", "names", "Who edited {}?", "{} was edited by %.", role="the editor of {}",
       needs="film|movie"),
    _r("distributor", "distributed by|distributor", "name", "Which company distributed {}?", "{} was distributed by %.",
       needs="film|movie"),
    _r("running time", "running time|runtime", "duration", "How long is the running time of {}?",
       "The running time of {} is %.", smaller="has the shorter running time"),
    _r("author", "author|authors", "names", "Who is the author of {}?", "{} was written by %.",
       role="the author of {}"),
    _r("illustrator", "illustrator", "names", "Who illustrated {}?", "{} was illustrated by %.",
       role="the illustrator of {}"),
    _r("cover artist", "cover artist", "names", "Who is the cover artist of {}?", "The cover artist of {} is %."),
    _r("publisher", "publisher", "name", "Which company is the publisher of {}?", "The publisher of {} is %."),
    # People
    _r("birth date", "birth date", "date", "When was {} born?", "{} was born %.", smaller="was born earlier",
       event="the birth of {}", thing="person"),
    _r("death date", "death date", "date", "When did {} die?", "{} died %.", smaller="died earlier",
       event="the death of {}", thing="person"),
    _r("birth place", "birth place|birthplace|place of birth", "place", "In which place was {} born?",
       "{} was born in %.", role="the birthplace of {}", holder="place", thing="person"),
    _r("death place", "death place|place of death", "place", "In which place did {} die?", "{} died in %.",
       thing="person"),
    _r("resting place", "resting place|burial place", "place", "Where is {} buried?", "{} is buried at %.",
       thing="person"),
    _r("birth name", "birth name", "name", "What was the birth name of {}?", "The birth name of {} was %.",
       thing="person"),
    _r("alma mater", "alma mater", "name", "Which university or college did {} attend?", "{} attended %.",
       thing="person"),
    _r("doctoral advisor", "doctoral advisor", "name", "Who was the doctoral advisor of {}?",
       "The doctoral advisor of {} was %.", role="the doctoral advisor of {}", thing="person"),
    # Places and buildings
    _r("capital", "capital", "name", "Which city is the capital of {}?", "The capital of {} is %.",
       role="the capital of {}", holder="place", thing="place"),
    _r("largest city", "largest city|largestcity", "name", "Which is the largest city of {}?",
       "The largest city of {} is %.", role="the largest city of {}", holder="place", thing="place"),
    _r("official language", "official language|official languages|officiallang", "names",
       "What is the official language of {}?", "The official language of {} is %.", thing="place"),
    _r("currency", "currency", "money", "Which currency is used in {}?", "The currency of {} is the %.", thing="place"),
    _r("calling code", "calling code", "code", "What is the telephone calling code of {}?",
       "The calling code of {} is %.", thing="place"),
    _r("internet domain", "internet tld|cctld", "code", "What is the internet top-level domain of {}?",
       "The internet top-level domain of {} is %.", thing="place"),
    _r("anthem", "national anthem|anthem", "title", "What is the national anthem of {}?",
       "The national anthem of {} is %.", thing="place"),
    _r("architect", "architect|architects", "names", "Who was the architect of {}?", "The architect of {} was %.",
       role="the architect of {}"),
    _r("height", "height", "quantity", "What is the height of {}?", "The height of {} is %.", smaller="is lower",
       needs="building|tower|bridge|skyscraper|mountain|cathedral|lighthouse|dam"),
    _r("elevation", "elevation", "quantity", "What is the elevation of {}?", "The elevation of {} is %.",
       smaller="has the lower elevation"),
    _r("opened", "opened|opening date", "date", "When was {} opened?", "{} was opened %.", smaller="was opened earlier",
       event="the opening of {}"),
    # Organisations and programs
    _r("founded", "founded|date founded|foundation|formation", "date", "When was {} founded?", "{} was founded %.",
       smaller="was founded earlier", event="the founding of {}"),
    _r("founder", "founder|founders|founded by", "names", "Who founded {}?", "{} was founded by %.",
       role="the founder of {}"),
    _r("headquarters", "headquarters", "place", "In which place are the headquarters of {}?",
       "The headquarters of {} are in %."),
    _r("developer", "developer|developers", "names", "Who is the developer of {}?", "The developer of {} is %.",
       ),
    _r("programming language", "written in", "name", "In which programming language is {} written?",
       "{} is written in %.", needs="software|program|library|database"),
    # Nature
    _r("melting point", "melting point", "quantity", "What is the melting point of {}?",
       "The melting point of {} is %.", smaller="has the lower melting point"),
    _r("boiling point", "boiling point", "quantity", "What is the boiling point of {}?",
       "The boiling point of {} is %.", smaller="has the lower boiling point"),
    _r("discoverer", "discoverer|discovered by", "names", "Who discovered {}?", "{} was discovered by %.",
       role="the discoverer of {}"),
)  # fmt: skip

BY_LABEL: dict[str, tuple[Relation, ...]] = {}
for _relation in RELATIONS:
    for _label in _relation.labels:
        BY_LABEL[_label] = (*BY_LABEL.get(_label, ()), _relation)
BY_NAME = {relation.name: relation for relation in RELATIONS}
