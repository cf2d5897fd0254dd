"""drzero.loop.splitting: claims of several facts in parts that say no more than the claim."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.corpus.zim import open_archive
from drzero.loop import facts
from drzero.loop.splitting import parts
from drzero.text import sentences


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        # sentences, semicolons
        ("It opened in 1890. It is red.", ("It opened in 1890.", "It is red.")),
        ("The old bridge opened in 1890; the new one was built in 1964.",
         ("The old bridge opened in 1890.", "the new one was built in 1964.")),
        ("A is red ; b is blue .", ("A is red .", "b is blue .")),
        # predicates
        ("X was born in A and died in B", ("X was born in A", "X died in B")),
        ("Ray Charles was born in Albany in 1930 and died in Beverly Hills in 2004.",
         ("Ray Charles was born in Albany in 1930.", "Ray Charles died in Beverly Hills in 2004.")),
        ("He won 17 Grammy Awards and never learned to drive.",
         ("He won 17 Grammy Awards.", "He never learned to drive.")),
        ("She moved to Paris and opened a shop in 1950.", ("She moved to Paris.", "She opened a shop in 1950.")),
        ("She moved to Paris and opened 9 shops.", ("She moved to Paris.", "She opened 9 shops.")),
        ("The arrows were made of pine and consisted of a mainshaft.",
         ("The arrows were made of pine.", "The arrows consisted of a mainshaft.")),
        ("The company is listed in Frankfurt, and is a component of the DAX.",
         ("The company is listed in Frankfurt.", "The company is a component of the DAX.")),
        ("The song was also recorded in 1960 but did not chart.",
         ("The song was also recorded in 1960.", "The song did not chart.")),
        ("The function returns a list and raises ValueError on an empty string.",
         ("The function returns a list.", "The function raises ValueError on an empty string.")),
        ("“Georgia” won an award and was ranked 4th.", ("“Georgia” won an award.", "“Georgia” was ranked 4th.")),
        # clauses
        ("The bridge opened in 1890, and the tower was built in 1900.",
         ("The bridge opened in 1890.", "the tower was built in 1900.")),
        ("The answer is 4 minutes, but it includes a step.",
         ("The answer is 4 minutes.", "The answer includes a step.")),
        ("The tower is old, and it is known that the king died.",
         ("The tower is old.", "it is known that the king died.")),
        # pronouns
        ("Einstein was born in Ulm; he died in Copenhagen.",
         ("Einstein was born in Ulm.", "Einstein died in Copenhagen.")),
        ("Einstein was born in Ulm. He died in Copenhagen.",
         ("Einstein was born in Ulm.", "Einstein died in Copenhagen.")),
        ("Einstein was born in Ulm. In 1955 he died. His wife was old. It rained.",
         ("Einstein was born in Ulm.", "In 1955 Einstein died.", "Einstein's wife was old.", "It rained.")),
        ("They won. They lost. Their coach left.", ("They won.", "They lost.", "Their coach left.")),
        # relative clauses and appositions
        ("The Forth Bridge, which opened in 1890, is in Scotland.",
         ("The Forth Bridge is in Scotland.", "The Forth Bridge opened in 1890.")),
        ("The bridge was designed by John Fowler, who died in 1898.",
         ("The bridge was designed by John Fowler.", "John Fowler died in 1898.")),
        ("It lies near the University of Chicago, which was founded in 1890.",
         ("It lies near the University of Chicago.", "the University of Chicago was founded in 1890.")),
        ("It lies near Chicago, which was founded.", ("It lies near Chicago.", "Chicago was founded.")),
        ("It lies near Chicago, which is in Illinois.", ("It lies near Chicago.", "Chicago is in Illinois.")),
        ("Paris, the capital of France, lies on the Seine.",
         ("Paris lies on the Seine.", "Paris is the capital of France.")),
        ("Ray Charles, an American singer, was born in Albany and died in Beverly Hills.",
         ("Ray Charles was born in Albany.", "Ray Charles died in Beverly Hills.",
          "Ray Charles was an American singer.")),
        ("It is held by John Elway, who led the Broncos to victory and is their manager.",
         ("It is held by John Elway.", "John Elway led the Broncos to victory.", "John Elway is their manager.")),
        # openers
        ("Sure! He won 17 awards.", ("He won 17 awards.",)),
        ("Well, it is red. I do.", ("it is red.",)),
    ],
)  # fmt: skip
def test_splitting_gives_each_fact_its_subject(claim: str, found: tuple[str, ...]) -> None:
    assert parts(claim) == found


@pytest.mark.parametrize(
    "claim",
    [
        "",
        "Sure!",
        "A, B and C are rivers.",
        "The horse has changed in size as it evolved.",
        # the second part would say something else without the first
        "He never moved to Paris and opened a shop.",
        "No king was born in A and died in B.",
        "Few kings were born in A and died in B.",
        "Only Ray was born in A and died in B.",
        "He may have been born in A and was buried in B.",
        "He said that X was tall and was rich.",
        "He was reportedly born in A and died in B.",
        "If it rains in A, the bridge is closed, and it is flooded.",
        "He said that the bridge opened in 1890, and the tower was built in 1900.",
        "The report claimed fraud, and the tower was closed in 1900.",
        "The book is known to be lost, and the author was born in 1900.",
        "The bridge has two parts: spans of steel and was painted in 1900.",
        "The man who won was rich and opened a shop in 1950.",
        "He moved to Paris: it was red and opened a shop in 1950.",
        "Hobson and Veblen were born in A and died in B respectively.",
        "It neither opened in 1890 nor was built in 1900.",
        "The museum has a room that shows paintings and is open.",
        # no subject of its own, or not plain to see
        "In 1950 he moved to Seattle and died in 1960.",
        "Ray Charles, Jr moved to Paris and opened a shop in 1950.",
        "Hobson was born in 1858, Schumpeter in 1883, and Angell in 1872.",
        "The system found in most engines and codified in the standard is a mistake.",
        "The architect designed the church, and many other houses built in that year.",
        "The song he wrote won a prize and was sold in 1950.",
        "He lived in Rome, Paris, London and died in Berlin.",
        "They are old and the new ones last longer and are cheap.",
        "The walls built in 1900 and painted in 1920 are old.",
        "The Zero was damaged and he flew home.",
        "John met Peter, and he was killed in 1950.",
        "John met Peter. He was killed. He was old.",
        "The dog bit the cat; it ran away.",
        # what stands in front reaches over both
        "In 1950, the plant was closed, and the town was abandoned.",
        "According to legend, Rome was founded by Romulus, and Remus was killed.",
        "According to legend, Rome was founded by Romulus; Remus was killed.",
        # a verb left to the clause before
        "The drug is effective in adults but is not in children.",
        "Merge sort is stable, but quicksort is not.",
        "Pluto, a planet until 2006, is a dwarf planet.",
        "Georgia, the US state, is larger than Georgia.",
        # shared words
        "The function returns a list and never stops.",
        "Vedam was written and directed by Christopher Nolan.",
        "He wrote and produced the song.",
        "She sells new and used cars.",
        "The drug was approved in 1999 and withdrawn in 2004.",
        "They won medals and cups of gold.",
        "All reads from and writes to the main file begin at a page boundary.",
        "All reads of the file and writes to the disk are slow.",
        # of whom or what?
        "It was founded by the mayor of Chicago, who died in 1900.",
        "He met the priests in Aruba, who gave him a cross.",
        "It was part of the episodes preceding the Civil War, which came to be known as Kansas.",
        "The market is volatile, which makes it difficult.",
        "They asked for SQLite, which prompted its makers to test it.",
        "He lost in Leipzig, which led to peace.",
        "It is called the Pawnee Commons, which is hard to accept.",
        "It depicts Dora Maar, the lover, seated on a chair.",
        "Jighansa, a film, based on a book, was released in 1951.",
        "Termites depend on dead and withered grass and are found in savannahs.",
        "So filters are easy to use and metal filters last longer and are cheap.",
        "He lost at Leipzig, which is why he left.",
        "She is a daughter of José Eduardo dos Santos, who ruled the country.",
        "He visited Chicago and Boston, which was rich.",
        "He took the road to the city of the Sun, whose king was old.",
        "Prescott, Arizona, is a county.",
        "Paris, a city, and London, a town, are large.",
        "It is subject to the law; with requirements for storage specified in it.",
        "He likes tea; coffee; milk.",
        # inside quotation marks, brackets and code
        "“He was born in A and died in B” is a song.",
        "Jackson (born in A. He was tall; he died in B) was a singer.",
        "`a = 1; b is 2` is code.",
        "He said “it is red.\nIt was blue.” there.",
        "Jackson (he was born.\nHe was tall) was a singer.",
        'The book "It is red. It was blue." is old.',
    ],
)
def test_splitting_leaves_whole_what_it_is_not_sure_of(claim: str) -> None:
    assert parts(claim) == (claim,)


def test_splitting_other_languages_part_at_sentences_only() -> None:
    german = "Er wurde in A geboren; er was born in B and died in Cöln. Er lebte in Köln."
    assert parts(german, language="de") == (
        "Er wurde in A geboren; er was born in B and died in Cöln.",
        "Er lebte in Köln.",
    )
    assert parts("今天天气很好。我们去公园吧！", language="zh") == ("今天天气很好。", "我们去公园吧！")
    assert parts("", language="de") == ("",)


PIECES = (
    "X", "Ray Charles", "the bridge", "He", "was born in A", "died in B", "is red", "and", ", and", "but", ", who",
    ", which", ";", ".", ",", "the capital of France", "never", "opened in 1890", "(", ")", "“", "”", "won a prize",
    "Sure!", "that",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(max_size=60))
def test_splitting_loses_no_word_and_adds_none(claim: str) -> None:
    found = parts(claim)
    assert found
    ours = set(facts.content_stems(" ".join(found)))
    theirs = set(facts.content_stems(claim))
    assert ours <= theirs
    assert theirs - ours <= {"sure"}
    for part in found:
        assert part == claim or facts.content_stems(part) or len(found) > 1
    if len(found) == 1 and not theirs - ours:
        assert found[0] == claim or found[0] in claim


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_splitting_parts_deny_only_where_the_claim_does(claim: str) -> None:
    denials = sum(facts.negations(part) for part in parts(claim))
    assert denials <= facts.negations(claim)


@pytest.mark.data
def test_splitting_real_sentences_keeps_their_words(shared_data: Path) -> None:
    archive = open_archive(shared_data / "zims" / "real" / "wikipedia_en_ray_charles_maxi_2023-09.zim")
    seen = cut = 0
    for reading in archive.walk():
        if reading.article is None or seen > 1500:
            continue
        text = reading.article.text[:3000]
        for start, end in sentences(text):
            sentence = text[start:end]
            found = parts(sentence)
            seen += 1
            cut += len(found) > 1
            assert set(facts.content_stems(" ".join(found))) == set(facts.content_stems(sentence)), sentence
    assert seen > 1500
    assert 0.01 < cut / seen < 0.25


def test_code_names_are_not_cut_at_their_full_stop() -> None:
    claim = "The function signal.Signals gives the signals, and signal.SIGINT is one of them."
    assert all("signal.S" in part for part in parts("signal.Signals is an enumeration of signals."))
    assert not any(part.startswith(("Signals", "SIGINT")) for part in parts(claim))
