"""drzero.loop.stated: what a chunk states, and what is too unclear to be a fact."""

from __future__ import annotations

import pytest

from drzero.loop.stated import Measure, Stated, filled, stated
from drzero.loop.stated import values as v
from drzero.loop.stated.relations import BY_LABEL, RELATIONS
from drzero.loop.stated.subjects import Subject, bare, subject_of
from drzero.types import Chunk


def chunk(text: str, title: str = "Blue Hour", heading: tuple[str, ...] = (), start: int = 0, mark: str = "") -> Chunk:
    return Chunk("c", "z", title.replace(" ", "_"), title, heading, text, start, start + len(text), mark)


def told(text: str, title: str = "Blue Hour", heading: tuple[str, ...] = (), *, docs: bool = False) -> dict[str, str]:
    """The statements of a chunk by relation."""
    return {one.relation: one.statement for one in stated(chunk(text, title, heading), docs=docs)}


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("4 March 1890", "4 March 1890"),
        ("March 4, 1890", "March 4, 1890"),
        ("March 1890 (US)", "March 1890"),
        ("1890", "1890"),
        ("1890–1895", None),
        ("4 March", None),
        ("March 4, 1890 in Fife", None),
        ("March 4, 1890; May 2, 1891", None),
        ("early 1890", None),
    ],
)
def test_stated_values_a_date_is_the_whole_value(value: str, date: str | None) -> None:
    read = v.one_date(value)
    assert (read and read[0]) == date


def test_stated_values_dates_are_ordered_only_when_that_is_sure() -> None:
    def days(text: str) -> Measure:
        read = v.one_date(text)
        assert read is not None
        return read[1]

    assert days("1890").order(days("1891")) == -1
    assert days("March 1890").order(days("4 March 1889")) == 1
    assert days("1890").order(days("March 1890")) == 0
    assert days("29 February 1892").high - days("1 March 1892").high == -1
    assert Measure(1, 1, "metre").order(Measure(2, 2, "second")) == 0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3:28", 208), ("61:00", 3660), ("1:02:03", 3723), ("152 minutes", 9120), ("3:75", None), ("short", None)],
)
def test_stated_values_lengths_of_time(value: str, seconds: int | None) -> None:
    read = v.one_duration(value)
    assert (read and read[1].low) == seconds


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        ("324 metres (1,063 ft)", (324.0, "length")),
        ("1.2 km", (1200.0, "length")),
        ("about 300 metres", None),
        ("300 metres to 320 metres", None),
        ("tall", None),
        ("42", None),
    ],
)
def test_stated_values_quantities_have_a_unit_and_no_bound(value: str, amount: tuple[float, str] | None) -> None:
    read = v.one_quantity(value)
    assert (read and (read[1].low, read[1].unit)) == amount


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Ada Lovelace", ("Ada Lovelace",)),
        ("Ada Lovelace, Charles Babbage and Luigi Menabrea", ("Ada Lovelace", "Charles Babbage", "Luigi Menabrea")),
        ("Ada Lovelace; Charles Babbage", ("Ada Lovelace", "Charles Babbage")),
        ("Ada Lovelace, the countess", ()),
        ("A, B", ()),
        ("Ann Able, Ben Baker, Cal Cook, Dee Dunn, Eve East", ()),
        ("Albaniana", ()),
        ("Ada/Charles", ()),
        ("Frankie Brown (Ted Daffan)", ()),
        ("Ada Lovelace, Ada Lovelace", ()),
    ],
)
def test_stated_values_lists_of_names(value: str, names: tuple[str, ...]) -> None:
    assert v.name_list(value) == names


@pytest.mark.parametrize(
    ("value", "clear"),
    [
        ("Ada Lovelace", True),
        ("Paul McCartney", True),
        ("LawyerPolitician", False),
        ("Joan EnricFrançois", False),
        ("various", False),
        ("Clarence Snow a.k.a. Hank Snow", False),
        ("See: a list", False),
        ("unknown", False),
        ('the "blue', False),
        ("Fife (Scotland", False),
        ("", False),
        ("x" * 121, False),
    ],
)
def test_stated_values_that_say_one_thing(value: str, clear: bool) -> None:
    assert v.is_clear(value) is clear


def test_stated_values_names_and_places() -> None:
    assert v.one_name('"Savoy"') == "Savoy"
    assert v.one_name("Columbia 45434") is None
    assert v.one_name("Atlantic and Savoy") is None
    assert v.one_place("Hodgenville, Kentucky, U.S.") == "Hodgenville, Kentucky, U.S."
    assert v.one_place("Capitol (New York), United (Hollywood)") is None
    assert v.one_place("12 High Street") is None
    assert v.when("4 March 1890") == "on 4 March 1890"
    assert v.when("March 1890") == "in March 1890"
    assert v.enumerated(("A", "B", "C")) == "A, B and C"
    assert v.enumerated(("A",)) == "A"


# --- subjects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("Hour", "Hour is a studio album by American singer and pianist Ann Able.", 'the album "Hour" by Ann Able'),
        ("Blue Hour (film)", "Blue Hour is a 1990 work.", 'the film "Blue Hour"'),
        ("Blue Hour (1996 film)", "Blue Hour is a film.", 'the 1996 film "Blue Hour"'),
        ("Blue Hour (Ann Able song)", "Blue Hour is sad.", 'the Ann Able song "Blue Hour"'),
        ("Ada Lovelace", "Ada Lovelace was an English mathematician and writer.", "Ada Lovelace"),
        ("Fife League", "The Fife League (FL) is one of two groups.", "the Fife League"),
        ("Scotland", "Scotland is a country that is part of an island.", "Scotland"),
        ("Unsaid", "Nothing of it.", "Unsaid"),
        ("Hours (journal)", "Hours is an open-access journal of time.", 'the journal "Hours"'),
        ("Hours (deity)", "Hours is one of many.", "Hours (deity)"),
    ],
)  # fmt: skip
def test_stated_subjects_are_told_so_that_nothing_else_is_meant(title: str, text: str, shown: str) -> None:
    subject = subject_of(chunk(text, title))
    assert subject is not None
    assert subject.shown == shown


def test_stated_subjects_lists_and_sides_of_a_thing_are_none() -> None:
    assert subject_of(chunk("Rows.", "List of bridges in Fife")) is None
    assert subject_of(chunk("Rows.", "Economy of Angola")) is None
    assert bare('"Mercury (planet)"') == "Mercury (planet)"
    assert bare("Mercury (planet)") == "Mercury"
    assert Subject.record("Ann Able", "album", "Ann Able").shown == 'the album "Ann Able"'
    assert Subject.record("Ray", "album", "Ann Able, Ben Baker").shown == 'the album "Ray" by Ann Able and Ben Baker'


# --- infobox rows ---------------------------------------------------------------------------------------------------

ALBUM = """Studio album by Ann Able
Released: April 4, 1971
Recorded: 1970
Studio: RPM Studios, Los Angeles, California
Genre: R&B, soul
Length: 39:32
Label: Tangerine
Producer: Joe Adams, Sid Feller
Years active: 1947–2004
Ann Able chronology
Released: 1999"""


def test_stated_rows_of_an_album() -> None:
    album = 'album "Blue Hour" by Ann Able'
    assert told(ALBUM) == {
        "released": f"The {album} was released on April 4, 1971.",
        "recorded": f"The {album} was recorded in 1970.",
        "studio": f"The {album} was recorded at RPM Studios, Los Angeles, California.",
        "length": f"The {album} has a length of 39:32.",
        "label": f"The {album} was released by the record label Tangerine.",
        "producer": f"The {album} was produced by Joe Adams and Sid Feller.",
    }


def test_stated_quotes_are_the_article_s_own_words_at_their_place() -> None:
    given = chunk(ALBUM, start=100)
    facts = stated(given)
    assert [given.text[one.start - 100 : one.end - 100] for one in facts] == [one.quote for one in facts]
    assert facts[0].quote == "Released: April 4, 1971"
    assert (facts[0].question, facts[0].kind) == ('When was the album "Blue Hour" by Ann Able released?', "temporal")
    assert (facts[-1].aspects, facts[-1].kind) == (("Joe Adams", "Sid Feller"), "factual")


def test_stated_rows_of_two_versions_of_a_song_are_told_apart() -> None:
    text = "Single by Ann Able\nReleased: 1950\nLabel: Savoy\nSingle by Ben Baker\nReleased: 1962\nLabel: Impulse"
    facts = [one.statement for one in stated(chunk(text)) if one.relation == "released"]
    assert facts == [
        'The single "Blue Hour" by Ann Able was released in 1950.',
        'The single "Blue Hour" by Ben Baker was released in 1962.',
    ]


def test_stated_rows_of_a_song_without_its_singer_tell_only_who_wrote_it() -> None:
    text = "Blue Hour is a song about dusk.\nReleased: 1950\nLength: 2:31\nSongwriter(s): Doc Pomus"
    assert told(text) == {"songwriter": 'The song "Blue Hour" was written by Doc Pomus.'}


def test_stated_what_a_subject_has_twice_is_no_fact() -> None:
    text = "Capital: Bern\nCapital: Basel\nLargest city: Zürich\nAnthem: Swiss Psalm"
    assert told(text, "Switzerland") == {
        "largest city": "The largest city of Switzerland is Zürich.",
        "anthem": 'The national anthem of Switzerland is "Swiss Psalm".',
    }
    twice = "Capital: Bern\nCapital: Bern"
    assert told(twice, "Switzerland") == {"capital": "The capital of Switzerland is Bern."}


def test_stated_rows_below_a_heading_or_alone_are_not_read() -> None:
    assert told("Capital: Bern\nLargest city: Zürich", "Switzerland", ("Twin towns",)) == {}
    assert told("Capital: Bern", "Switzerland") == {}


def test_stated_born_and_died_hold_date_and_place() -> None:
    text = (
        "Born: December 21, 1934; Memphis, Tennessee, U.S.\nDied: January 29, 2009 (aged 74); Memphis, Tennessee, U.S."
    )
    assert told(text, "Hank Crawford") == {
        "birth date": "Hank Crawford was born on December 21, 1934.",
        "birth place": "Hank Crawford was born in Memphis, Tennessee, U.S.",
        "death date": "Hank Crawford died on January 29, 2009.",
        "death place": "Hank Crawford died in Memphis, Tennessee, U.S.",
    }


def test_stated_labels_are_understood_once() -> None:
    assert len({relation.name for relation in RELATIONS}) == len(RELATIONS)
    assert all(relation.tells.count("%") == 1 and "{}" in relation.asks for relation in RELATIONS)
    assert not {"type", "other", "years active", "president", "governor"} & set(BY_LABEL)


# --- leads ----------------------------------------------------------------------------------------------------------


def test_stated_lives_in_brackets() -> None:
    text = "Ada Lovelace (10 December 1815 – 27 November 1852) was an English mathematician. She wrote a program."
    assert told(text, "Ada Lovelace") == {
        "birth date": "Ada Lovelace was born on 10 December 1815.",
        "death date": "Ada Lovelace died on 27 November 1852.",
    }
    living = "Alain Connes (born 1 April 1947) is a French mathematician. He won a prize."
    assert told(living, "Alain Connes") == {"birth date": "Alain Connes was born on 1 April 1947."}


@pytest.mark.parametrize(
    "text",
    [
        "The Battle of Fife (1 July 1816 – 8 July 1816) was a battle by the sea. It was his last.",
        "Ada Lovelace (1815–1852) was an English mathematician. She wrote a program.",
        "Ada Lovelace (10 December 1815 – 27 November 1852) was an English mathematician.",
    ],
)
def test_stated_lives_that_are_not_sure_are_left_out(text: str) -> None:
    assert told(text, "Battle of Fife" if "Battle" in text else "Ada Lovelace") == {}


def test_stated_meanings_of_common_nouns() -> None:
    text = "Anatomy is the branch of biology concerned with the structure of organisms. Much of anatomy is old."
    (fact,) = stated(chunk(text, "Anatomy"))
    assert fact.question == 'What is the meaning of the term "anatomy"?'
    assert fact.statement == "Anatomy is the branch of biology concerned with the structure of organisms."
    name = "Kabul is the capital and largest city of the whole country. Kabul is old."
    assert told(name, "Kabul") == {}
    praise = "The albedo is an important concept in climatology, astronomy and many sciences. An albedo is low."
    assert told(praise, "Albedo") == {}


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("Dusk is a 2004 American film directed by Mike Leigh.", {"directed": "Mike Leigh"}),
        (
            "Dusk is a film written and directed by Mike Leigh, and starring Juno Temple.",
            {"directed": "Mike Leigh", "screenplay": "Mike Leigh"},
        ),
        (
            "Dusk is a film directed by Ann Able and Ben Baker and written by J. Gould Cook.",
            {"directed": "Ann Able and Ben Baker"},
        ),
        ("Dusk is a film directed by Ann Able, Ben Baker, and Cal Cook.", {}),
        ("Dusk is a film directed and co-written by Ann Able.", {}),
        ("Dusk is a film with songs written by Ann Able.", {}),
        ("Dusk is a science fiction novel by Ann Able.", {"author": "Ann Able"}),
        ("Dusk is a song written by Ann Able and Ben Baker in 1955.", {"songwriter": "Ann Able and Ben Baker"}),
        ("Night is not Dusk, which is a film directed by Ann Able.", {}),
    ],
)
def test_stated_makers_of_works_in_a_lead(sentence: str, facts: dict[str, str]) -> None:
    found = {one.relation: " and ".join(one.aspects) for one in stated(chunk(sentence, "Dusk"))}
    assert found == facts


def test_stated_names_of_works_have_no_meaning() -> None:
    assert (
        told("The Dark Tower is a series of eight books for young and old. It is the Dark Tower.", "The Dark Tower")
        == {}
    )


# --- documentation of code ------------------------------------------------------------------------------------------


def test_stated_signature_purpose_version_and_default() -> None:
    text = (
        "textwrap.wrap(text, width=70, *, prefix='')\n"
        "Return a list of output lines without final newlines.\n"
        "New in version 3.4."
    )
    assert told(text, "textwrap — Text wrapping", ("textwrap.wrap",), docs=True) == {
        "default of width": "The default value of the parameter width of textwrap.wrap() is 70.",
        "returns": "textwrap.wrap() returns a list of output lines without final newlines.",
        "new in": "textwrap.wrap() was added in version 3.4.",
    }


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("Remove the first x of the array.", "array.remove() removes the first x of the array."),
        ("Copy x to the end of the array.", "array.remove() copies x to the end of the array."),
        ("Push x on the end of the array.", "array.remove() pushes x on the end of the array."),
        ("Remove x from the array and return it.", None),
        ("Compile and run the whole of x.", None),
        ("Remove this element from the array.", None),
        ("Element that is removed from the array.", None),
        ("Remove x. csvfile is of any kind.", None),
    ],
)  # fmt: skip
def test_stated_what_a_call_does(sentence: str, statement: str | None) -> None:
    found = told(f"remove(x)\n{sentence}", "array — Arrays", ("array.remove",), docs=True)
    assert found.get("does") == statement


@pytest.mark.parametrize(
    ("sentence", "cause"),
    [
        ("Raises OSError if the file does not exist.", "if the file does not exist"),
        ("Raise ValueError when the path has a null.", "when the path has a null"),
        ("If the file does not exist, OSError is raised.", "if the file does not exist"),
        ("Raises OSError if it is missing there.", None),
        ("Raises OSError if missing.", None),
        ("Raises trouble if the file does not exist.", None),
        ("Raises OSError if the path is bad, and TypeError if it is none.", None),
    ],
)  # fmt: skip
def test_stated_errors_and_their_causes(sentence: str, cause: str | None) -> None:
    text = f"os.path.getsize(path)\nReturn the size, in bytes, of path.\n{sentence}"
    facts = stated(chunk(text, "os.path — Pathnames", ("os.path.getsize",)), docs=True)
    question = next((one.question for one in facts if one.kind == "debugging"), None)
    assert question == (cause and f"Which exception does os.path.getsize() raise {cause}?")


def test_stated_members_are_named_with_their_class() -> None:
    text = "remove(x)\nRemove the first occurrence of x from the array."
    assert told(text, "array — Arrays", ("array.array", "remove"), docs=True) == {
        "does": "array.array.remove() removes the first occurrence of x from the array."
    }


def test_stated_deprecations() -> None:
    text = "imp.find()\nDeprecated since version 3.3: Use importlib.util.find_spec() instead."
    (fact,) = stated(chunk(text, "imp — Import", ("imp.find",)), docs=True)
    assert fact.question == "What should be used instead of the deprecated imp.find()?"
    assert fact.statement == "Instead of the deprecated imp.find(), importlib.util.find_spec() should be used."
    assert (fact.aspects, fact.kind) == (("importlib.util.find_spec",), "refactoring")
    removed = "imp.find()\nDeprecated since version 3.4, will be removed in version 3.12."
    assert told(removed, "imp — Import", ("imp.find",), docs=True) == {
        "deprecated since": "imp.find() is deprecated since version 3.4."
    }


@pytest.mark.parametrize(
    "text",
    [
        "If group is given, it is set.\nNew in version 3.9.",  # the middle of a long section
        "os.sync(group)\ngroup is set if given.\nNew in version 3.9.\nIf umask is given, it is set.",
        "os.sync(group)\nNew in version 3.9: The parameter group.",
    ],
)
def test_stated_versions_of_parameters_are_not_the_function_s(text: str) -> None:
    assert "new in" not in told(text, "os — System", ("os.sync",), docs=True)


def test_stated_constants_raise_nothing() -> None:
    text = "msvcrt.LK_NBLCK\nRaises OSError if the bytes cannot be locked."
    assert told(text, "msvcrt — Windows", ("msvcrt.LK_NBLCK",), docs=True) == {}


def test_stated_versions_are_ordered_within_one_documentation() -> None:
    def version(number: str, zim_id: str = "z") -> Stated:
        text = f"os.sync()\nNew in version {number}."
        given = Chunk("c", zim_id, "os", "os — System", ("os.sync",), text, 0, len(text))
        return next(one for one in stated(given, docs=True) if one.relation == "new in")

    def order(one: Stated, other: Stated) -> int:
        assert one.measure is not None
        assert other.measure is not None
        return one.measure.order(other.measure)

    assert order(version("3.9"), version("3.10")) == -1
    assert order(version("3.5.2"), version("3.5")) == 0
    assert order(version("3.9"), version("3.10", "other")) == 0


@pytest.mark.parametrize(
    ("title", "heading", "signature"),
    [
        ("HOWTO", ("Introduction",), "Some words on it."),
        ("Built-in Functions", ("exec",), "exec(source)"),
        ("shutil — Files", ("shutil.move",), "shutil.move(a)\nshutil.move(a, b)"),
    ],
)
def test_stated_code_whose_name_is_not_sure_states_nothing(
    title: str, heading: tuple[str, ...], signature: str
) -> None:
    assert told(f"{signature}\nReturn a number that is small.", title, heading, docs=True) == {}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("factorialize(5) should return 120.", "120"),
        ('confirm("Bastian", "n") should return true.', "true"),
        ('spell("a") should return the string "b"', '"b"'),
        ("factorialize(5) should return a number.", None),
        ("Your program should return an array.", None),
    ],
)
def test_stated_what_exercises_expect_of_a_call(line: str, value: str | None) -> None:
    facts = stated(chunk(f"Some words.\n{line}", "Factorials", ("Hints",)), docs=True)
    assert [one.value for one in facts] == ([value] if value else [])
    if value == "120":
        assert facts[0].question == 'What should the call factorialize(5) in the exercise "Factorials" return?'


# --- all ------------------------------------------------------------------------------------------------------------


def test_stated_nothing_of_signposts_and_of_languages_unknown() -> None:
    assert stated(chunk(ALBUM, mark="disambiguation")) == ()
    assert stated(chunk(ALBUM), language="de") == ()
    assert len(stated(chunk(ALBUM), language="eng")) == 6


def test_stated_templates_are_filled_with_a_capital_and_one_full_stop() -> None:
    assert filled("{} was born in %.", "the poet") == "The poet was born in %."
    assert filled("{} died in the U.S..", "Ann") == "Ann died in the U.S."
    assert filled("Where is {}?", "the end") == "Where is the end?"


# --- tables ---------------------------------------------------------------------------------------------------------

CHART = (
    "Chart (2004–05): Danish Albums; Peak position: 27\n"
    "Chart (2004–05): Dutch Albums; Peak position: 9\n"
    "Chart (2004–05): Norwegian Albums; Peak position: 2"
)


def test_stated_cells_of_a_known_column_below_a_heading() -> None:
    first, *rest = stated(chunk(CHART, "Genius (album)", ("Weekly charts",), start=50))
    assert len(rest) == 2
    assert first.question == (
        'Which peak position did "Genius" reach in the chart "Danish Albums" of 2004–05, listed under "Weekly charts"?'
    )
    assert first.statement == (
        '"Genius" reached the peak position 27 in the chart "Danish Albums" of 2004–05, listed under "Weekly charts".'
    )
    assert (first.quote, first.aspects) == ("Chart (2004–05): Danish Albums; Peak position: 27", ("27",))
    assert (rest[0].start, rest[0].end) == (50 + 50, 50 + 50 + 47)
    lands = "Country: France; Capital: Paris\nCountry: Spain; Capital: Madrid\nCountry: Italy; Capital: Rome"
    assert [one.statement for one in stated(chunk(lands, "Europe", ("Lands",)))] == [
        "The capital of France is Paris.", "The capital of Spain is Madrid.", "The capital of Italy is Rome.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        CHART.replace("Peak position", "In service"),  # a column without words of its own
        CHART.replace("Chart (2004–05)", "Question").replace("Peak position", "Answer"),
        CHART.rpartition("\n")[0],  # two rows are no table yet
        CHART.replace("Dutch", "Danish"),  # rows that are not told apart
        CHART.replace("Chart (2004–05)", "Year"),
        CHART.replace("Peak position", "Notes"),
        "Chart (2004–05): Snow; Place: Alps; Peak position: 9\n" + CHART,  # a row of another width: cells are missing
        CHART.replace("27", "—").replace("9", "n/a").replace(": 2", ": various"),
    ],
)
def test_stated_cells_that_are_not_sure_are_left_out(text: str) -> None:
    assert stated(chunk(text, "Albedo", ("Terrestrial albedo",))) == ()


def test_stated_cells_of_a_table_without_a_heading_are_left_out() -> None:
    assert stated(chunk(CHART, "Albedo")) == ()


# --- what is left out, or said more fully ---------------------------------------------------------------------------


@pytest.mark.parametrize("more", ["If no cmd would be called, return None.", "Otherwise it is None.", "Only on Unix."])
def test_stated_a_purpose_that_the_next_sentence_limits_is_left_out(more: str) -> None:
    text = "shutil.which(cmd)\nReturn the path to an executable on the computer."
    assert "returns" in told(text, "shutil — Files", ("shutil.which",), docs=True)
    assert "returns" not in told(f"{text} {more}", "shutil — Files", ("shutil.which",), docs=True)


def test_stated_a_member_of_a_class_is_told_with_its_module() -> None:
    text = "TarInfo.isfile()\nReturn True if the object is a regular file."
    assert told(text, "tarfile — Archives", ("TarInfo.isfile",), docs=True) == {
        "returns": "TarInfo.isfile() in tarfile returns True if the object is a regular file."
    }
    assert told(text, "Some page", ("TarInfo.isfile",), docs=True) == {}
    text = "os.path.isfile()\nReturn True if the object is a regular file."
    assert list(told(text, "os.path — Names", ("os.path.isfile",), docs=True).values()) == [
        "os.path.isfile() returns True if the object is a regular file."
    ]


def test_stated_a_parameter_left_dangling_is_no_purpose() -> None:
    text = "contextlib.aclosing(thing)\nReturn a manager that calls the aclose() method of thing."
    assert told(text, "contextlib — With", ("contextlib.aclosing",), docs=True) == {}
    assert told(text.replace("of thing", "of an object"), "contextlib — With", ("contextlib.aclosing",), docs=True)


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("topologicalSort(libsSimple)", False),
        ("sum([1, data])", False),
        ('confirm("Bastian", "n")', True),
        ("where({ name: 'Ann', age: 3 }, true)", True),
        ("sort([3, null, -1.5])", True),
    ],
)
def test_stated_calls_on_data_of_the_exercise_are_left_out(call: str, asked: bool) -> None:
    assert bool(told(f"{call} should return 7.", "Exercise", ("Tests",), docs=True)) == asked


def test_stated_a_label_that_many_boxes_share_tells_no_class() -> None:
    label = "Tangerine Records was founded by Ray Charles.\nFounder: Ray Charles\nDistributor: ABC-Paramount Records"
    assert "distributor" not in told(label, "Tangerine Records (1962)")
    film = "Ray is a 2004 film.\nDirected by: Taylor Hackford\nDistributed by: Universal Pictures"
    assert told(film, "Ray")["distributor"] == 'The film "Ray" was distributed by Universal Pictures.'


def test_stated_a_song_of_two_makers_is_not_written_by_one() -> None:
    song = '"America" is an American song.\nWriter: Katharine Lee Bates\nComposer: Samuel Ward'
    assert "songwriter" not in told(song, "America (song)")
    assert "songwriter" in told(song.replace("Composer: Samuel Ward", "Label: ABC"), "America (song)")


def test_stated_an_institution_has_its_article() -> None:
    text = "Founded: 1970\nTeams: 16\nIn 2002 the American Football Conference had four divisions."
    found = stated(chunk(text, "American Football Conference"))
    assert [one.question for one in found if one.relation == "founded"] == [
        "When was the American Football Conference founded?"
    ]


def test_stated_a_work_is_asked_for_by_its_author_in_enough_words() -> None:
    (fact,) = (one for one in stated(chunk("Author: George Orwell\nPages: 112", "Animal Farm")))
    assert fact.question == "Who is the author of Animal Farm?"


def test_stated_dates_of_something_else_in_brackets_are_none() -> None:
    assert v.one_date("1895 (poem)") is None
    assert v.one_date("January 1972 (U.S.)") == v.one_date("January 1972")


@pytest.mark.parametrize(
    ("sentence", "tells"),
    [
        ("Compare a and b; return a delta in unified diff format.", False),
        ("Return a manager that calls the close() method of thing upon completion of the block.", False),
        ("Return the number of thing objects in the process.", True),
        ("Return the inverse hyperbolic cosine of x.", True),
    ],
)
def test_stated_purposes_that_stand_alone(sentence: str, tells: bool) -> None:
    text = f"tools.make(thing, x)\n{sentence}"
    assert bool(told(text, "tools — Tools", ("tools.make",), docs=True)) == tells


def test_stated_a_value_may_look_like_the_place_of_the_subject() -> None:
    (value,) = told("quibble([]) should return {}.", "Exercise", ("Tests",), docs=True).values() or ("",)
    assert filled("{} should return {}.", "quibble([])") == "quibble([]) should return {}."
    assert value in ("", "{}")
