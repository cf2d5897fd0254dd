"""drzero.loop.queries: what is searched for, and in which order what was found is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from drzero.loop.queries import content_words, follow_up_queries, gather, own_queries, side_queries
from drzero.types import Chunk, Passage

QUESTION = "In what state is the manufacturer of Bisquick headquartered?"


def passage(number: int, text: str, title: str = "") -> Passage:
    title = title or f"Title {number}"
    return Passage(Chunk(f"c{number}", "z", f"P{number}", title, (), text, 10, 10 + len(text)), 0.5, number, "i")


SALT = passage(1, "Table salt consists mainly of sodium chloride. It tastes salty.", "Salt")
BRIDGE = passage(2, "The bridge opened in 1931. Two trains cross it each hour.", "Bridge")
BISQUICK = passage(3, "Bisquick is a baking mix. The manufacturer of Bisquick is General Mills.", "Bisquick")
MILLS = passage(4, "General Mills is headquartered in Golden Valley, Minnesota.", "General Mills")


def shelf(found: Mapping[str, Sequence[Passage]], asked: list[str]) -> Callable[[str, int], list[Passage]]:
    """A search that finds what it is told to, and keeps what it was asked."""

    def retrieve(query: str, k: int) -> list[Passage]:
        asked.append(query)
        return list(found.get(query, ()))[:k]

    return retrieve


def ids(passages: Sequence[Passage]) -> list[str]:
    return [one.chunk.id for one in passages]


def test_queries_of_a_question_are_itself_its_names_and_its_content_words() -> None:
    assert own_queries("When did the Salt Bridge open?") == (
        "When did the Salt Bridge open?",
        "Salt Bridge",
        "Salt Bridge open",
    )
    assert own_queries("salt bridge") == ("salt bridge",)
    assert own_queries("?") == ("?",)


def test_queries_content_words_stand_as_they_are_and_once() -> None:
    assert content_words("Which bridges of the bridges are Old?") == ["bridges", "Old"]


def test_queries_gather_finds_each_passage_once_and_ranks_anew() -> None:
    asked: list[str] = []
    found = {"When did the Salt Bridge open?": [SALT], "Salt Bridge": [BRIDGE, SALT]}
    gathered = gather("When did the Salt Bridge open?", shelf(found, asked), k=5, searches=3)
    assert ids(gathered.passages) == ["c1", "c2"]
    assert [one.rank for one in gathered.passages] == [1, 2]
    assert gathered.queries == tuple(asked) == own_queries("When did the Salt Bridge open?")
    assert gathered.sought == ("When did the Salt Bridge open?",) * 2


def test_queries_gather_weighs_the_question_more_than_its_names() -> None:
    found = {"Is the Salt Bridge open?": [SALT, BRIDGE], "Salt Bridge": [BRIDGE]}
    once = gather("Is the Salt Bridge open?", shelf(found, []), k=5, searches=1)
    assert ids(once.passages) == ["c1", "c2"]
    twice = gather("Is the Salt Bridge open?", shelf(found, []), k=5, searches=2)
    assert ids(twice.passages) == ["c2", "c1"]  # 1/12 + 0.5/11 is more than 1/11


def test_queries_follow_up_asks_for_a_name_with_the_words_left_open() -> None:
    assert follow_up_queries(QUESTION, [BISQUICK]) == ("General Mills state headquartered",)


def test_queries_follow_up_leaves_out_what_the_question_and_the_title_name() -> None:
    told = passage(5, "Bisquick was sold by Jasper Bisquick in May.", "Jasper")
    assert follow_up_queries("Who sold Bisquick?", [told]) == ()


def test_queries_follow_up_of_the_sentence_that_covers_more_comes_first() -> None:
    other = passage(6, "The state of Ohio has a seal.", "Seal")
    found = follow_up_queries(QUESTION, [other, BISQUICK])
    assert [query.split(" ")[0] for query in found] == ["General", "Ohio"]


def test_queries_gather_puts_what_a_follow_up_finds_behind_the_leading_ones() -> None:
    others = [passage(n, f"A mix number {n} of a state.") for n in range(10, 16)]
    follow = "General Mills state headquartered"
    found = {QUESTION: [BISQUICK, *others], follow: [BISQUICK, MILLS]}
    asked: list[str] = []
    gathered = gather(QUESTION, shelf(found, asked), k=10, follow_ups=1)
    assert asked == [QUESTION, follow]
    assert ids(gathered.passages) == ["c3", "c10", "c11", "c4", "c12", "c13", "c14", "c15"]
    assert gathered.sought[3] == follow
    assert set(gathered.sought[:3] + gathered.sought[4:]) == {QUESTION}


def test_queries_gather_raises_what_was_found_far_down() -> None:
    others = [passage(n, f"A mix number {n} of a state.") for n in range(10, 16)]
    found = {QUESTION: [BISQUICK, *others, MILLS], "General Mills state headquartered": [MILLS]}
    gathered = gather(QUESTION, shelf(found, []), k=10, follow_ups=2)
    assert ids(gathered.passages)[3] == "c4"
    assert len(gathered.passages) == len(set(ids(gathered.passages))) == 8


def test_queries_gather_without_anything_found_asks_once() -> None:
    asked: list[str] = []
    gathered = gather("What is salt?", shelf({}, asked), k=3, follow_ups=2)
    assert (gathered.passages, gathered.queries, asked) == ((), ("What is salt?",), ["What is salt?"])


CHOICE = 'Which single was released earlier, "Salt" or "The Bridge of Bisquick"?'


def test_queries_of_a_choice_name_each_of_the_two_alone() -> None:
    assert side_queries(CHOICE) == ("Salt single released earlier", "The Bridge of Bisquick single released earlier")
    assert side_queries("Which was added earlier, json.dumps or shutil.which()?") == (
        "json.dumps added earlier",
        "shutil.which() added earlier",
    )
    assert side_queries("Which is older, the city of Ulm or the city of Bern?") == (
        "city of Ulm older",
        "city of Bern older",
    )


def test_queries_of_a_question_without_two_named_things_to_choose_between_are_none() -> None:
    assert side_queries("When did the Salt Bridge open?") == ()
    assert side_queries("Which is faster, a set or a list?") == ()
    assert side_queries("Which is older, Ulm, Bern or Basel?") == ()


def test_queries_gather_keeps_the_best_passage_of_each_of_two_things_among_the_first_five() -> None:
    asked: list[str] = []
    one, other = side_queries(CHOICE)
    more = [passage(number, "Salt and bridges.") for number in range(5, 9)]
    found = {CHOICE: [SALT, *more], one: [SALT, MILLS], other: [BRIDGE, BISQUICK]}
    gathered = gather(CHOICE, shelf(found, asked), k=5)
    assert ids(gathered.passages) == ["c1", "c5", "c6", "c2", "c7", "c8"]
    assert gathered.queries == tuple(asked) == (CHOICE, one, other)
    assert gathered.sought == (one, CHOICE, CHOICE, other, CHOICE, CHOICE)


def test_queries_gather_of_a_choice_raises_what_the_question_found_far_down() -> None:
    more = [passage(number, "Salt and bridges.") for number in range(5, 9)]
    found = {CHOICE: [*more, BRIDGE], side_queries(CHOICE)[1]: [BRIDGE]}
    gathered = gather(CHOICE, shelf(found, []), k=5)
    assert ids(gathered.passages) == ["c5", "c6", "c7", "c2", "c8"]
    assert gathered.sought == (*(CHOICE,) * 3, side_queries(CHOICE)[1], CHOICE)
