"""drzero.loop.templates: questions that code makes of stated facts, right whenever the facts are."""

from __future__ import annotations

from drzero.loop.stated import Stated, stated
from drzero.loop.templates import compared, composed, single
from drzero.types import Chunk


def facts(title: str, text: str, heading: tuple[str, ...] = (), *, docs: bool = False) -> tuple[Stated, ...]:
    given = Chunk(f"c-{title}", "z", title.replace(" ", "_"), title, heading, text, 0, len(text))
    return stated(given, docs=docs)


def album(title: str, released: str, length: str = "30:00", by: str = "Ann Able", producer: str = "Joe Adams") -> str:
    return f"Studio album by {by}\nReleased: {released}\nLength: {length}\nProducer: {producer}"


def fact(title: str, text: str, relation: str) -> Stated:
    return next(one for one in facts(title, text) if one.relation == relation)


BLUE = fact("Blue Hour", album("Blue Hour", "April 4, 1971", "39:32"), "released")
RED = fact("Red Hour", album("Red Hour", "1969", "31:51", "Ben Baker"), "released")


def test_templates_one_fact_is_asked_by_the_types_that_fit_it() -> None:
    own = facts("Blue Hour", album("Blue Hour", "April 4, 1971"))
    (draft,) = single(own, "temporal")
    assert draft.question == 'When was the album "Blue Hour" by Ann Able released?'
    assert draft.answer == 'The album "Blue Hour" by Ann Able was released on April 4, 1971.'
    assert (draft.kind, draft.origin, draft.aspects) == ("temporal", "template", ("April 4, 1971",))
    assert (draft.span, draft.evidence) == ("April 4, 1971", ("Released: April 4, 1971",))
    assert [one.question.split()[0] for one in single(own, "factual")] == ["What", "Who"]
    assert list(single(own, "causal")) == []


def test_templates_two_dates_are_put_in_order() -> None:
    draft = compared(BLUE, RED, "comparative")
    assert draft is not None
    assert draft.question == (
        'Which was released earlier, the album "Blue Hour" by Ann Able or the album "Red Hour" by Ben Baker?'
    )
    assert draft.answer == (
        'The album "Red Hour" by Ben Baker was released in 1969, and the album "Blue Hour" by Ann Able was released on '
        'April 4, 1971, so the album "Red Hour" by Ben Baker was released earlier.'
    )
    assert [chunk.title for chunk in draft.gold] == ["Blue Hour", "Red Hour"]
    assert draft.evidence == ("Released: April 4, 1971", "Released: 1969")
    assert draft.aspects == ()
    turned = compared(RED, BLUE, "comparative")
    assert turned is not None
    assert turned.answer == draft.answer


def test_templates_two_dates_are_asked_for_as_events_by_the_temporal_type() -> None:
    draft = compared(BLUE, RED, "temporal")
    assert draft is not None
    assert draft.question == (
        'Which came first, the release of the album "Blue Hour" by Ann Able'
        ' or the release of the album "Red Hour" by Ben Baker?'
    )
    assert draft.answer.endswith(', so the release of the album "Red Hour" by Ben Baker came first.')
    lengths = [
        fact(one.name, album(one.name, "1969", length), "length") for one, length in ((BLUE, "2:00"), (RED, "3:00"))
    ]
    assert compared(*lengths, "temporal") is None


def test_templates_lengths_are_compared_whatever_their_form() -> None:
    one = fact("Blue Hour", album("Blue Hour", "1969", "39:32"), "length")
    other = fact("Red Hour", album("Red Hour", "1969", "31 minutes"), "length")
    draft = compared(one, other, "comparative")
    assert draft is not None
    assert draft.question.startswith("Which is shorter, ")
    assert draft.answer.endswith('so the album "Red Hour" by Ann Able is shorter.')


def test_templates_people_are_asked_for_with_who() -> None:
    lives = {"Ada Lovelace": "10 December 1815", "Alan Turing": "23 June 1912"}
    one, other = (
        facts(name, f"{name} (born {date}) is a mathematician. {name.split()[0]} likes his or her work.")[0]
        for name, date in lives.items()
    )
    draft = compared(one, other, "comparative")
    assert draft is not None
    assert draft.question == "Who was born earlier, Ada Lovelace or Alan Turing?"
    assert draft.answer.endswith(", so Ada Lovelace was born earlier.")


def test_templates_what_cannot_be_set_side_by_side_is_not() -> None:
    same_year = fact("Green Hour", album("Green Hour", "March 1969"), "released")
    assert compared(RED, same_year, "comparative") is None  # some day of 1969 against March 1969
    assert compared(BLUE, BLUE, "comparative") is None
    again = fact("Blue Hour", album("Blue Hour", "1950", by="Cal Cook"), "released")
    assert compared(BLUE, again, "comparative") is None  # two editions of one name
    assert compared(BLUE, fact("Red Hour", album("Red Hour", "1969"), "length"), "comparative") is None
    film = fact("Dusk (film)", "Directed by: Ann Able\nRelease date: March 1962", "released")
    assert compared(BLUE, film, "comparative") is None
    made = fact("Blue Hour", album("Blue Hour", "1971"), "producer")
    assert compared(made, fact("Red Hour", album("Red Hour", "1969"), "producer"), "comparative") is None


def test_templates_versions_are_compared_in_documentation() -> None:
    one, other = (
        next(
            one
            for one in facts("os — System", f"os.{name}()\nNew in version {version}.", (f"os.{name}",), docs=True)
            if one.relation == "new in"
        )
        for name, version in (("sync", "3.3"), ("cpu_count", "3.4"))
    )
    draft = compared(one, other, "comparison")
    assert draft is not None
    assert draft.question == "Which was added in the earlier version, os.sync() or os.cpu_count()?"
    assert draft.answer == (
        "os.sync() was added in version 3.3, and os.cpu_count() was added in version 3.4, "
        "so os.sync() was added in the earlier version."
    )


LIFE = "Joe Adams (born 11 April 1922) is a producer. He began as an actor."


def test_templates_two_facts_are_composed_where_they_meet_in_a_name() -> None:
    (draft,) = composed(facts("Blue Hour", album("Blue Hour", "1971")), facts("Joe Adams", LIFE))
    assert draft.question == 'When was the producer of the album "Blue Hour" by Ann Able born?'
    assert draft.answer == ('Joe Adams, the producer of the album "Blue Hour" by Ann Able, was born on 11 April 1922.')
    assert (draft.kind, draft.aspects) == ("multi-hop", ("11 April 1922",))
    assert [chunk.title for chunk in draft.gold] == ["Blue Hour", "Joe Adams"]
    assert draft.evidence[0] == "Producer: Joe Adams"
    assert "Joe Adams" not in draft.question


def test_templates_facts_that_do_not_meet_are_not_composed() -> None:
    life = facts("Joe Adams", LIFE)
    two = facts("Blue Hour", album("Blue Hour", "1971", producer="Joe Adams, Sid Feller"))
    assert list(composed(two, life)) == []  # which of the two?
    own = facts("Blue Hour", album("Blue Hour", "1971", by="Joe Adams"))
    assert list(composed(own, life)) == []  # the question would say it itself
    record = facts("Joe Adams", album("Joe Adams", "1950", by="Cal Cook"))
    assert list(composed(facts("Blue Hour", album("Blue Hour", "1971")), record)) == []  # an album produced nothing
    assert list(composed(life, facts("Blue Hour", album("Blue Hour", "1971")))) == []


def test_templates_code_is_compared_within_a_module_or_by_its_last_name() -> None:
    def added(name: str, version: str) -> Stated:
        module = name.split(".", maxsplit=1)[0]
        text = f"{name}()\nNew in version {version}."
        return next(one for one in facts(f"{module} — A", text, (name,), docs=True) if one.relation == "new in")

    limit = added("resource.RLIMIT_KQUEUES", "3.10")
    assert compared(limit, added("errno.ENOTCAPABLE", "3.11"), "comparison") is None
    assert compared(limit, added("resource.prlimit", "3.4"), "comparison") is not None
    assert compared(added("abc.run", "3.4"), added("cgi.run", "3.5"), "comparison") is not None
