from drzero.corpus.outline import Outline, fold
from drzero.types import Section


def test_outline_places_sections_in_the_articles_text():
    outline = Outline("Bridge")
    outline.block("  The bridge \n opened. ")
    outline.heading(2, "History")
    outline.block("One.")
    outline.block("   ")
    outline.block("Two.")
    outline.heading(3, "Empty")
    outline.heading(3, "Repair")
    outline.code("\n  a\n\n    b  \n\n")
    assert outline.sections() == (
        Section((), "The bridge opened.", 0),
        Section(("History",), "One.\nTwo.", 20),
        Section(("History", "Repair"), "  a\n\n    b", 31, code=((0, 10),)),
    )


def test_outline_takes_the_title_for_no_heading():
    outline = Outline("json — JSON encoder — Python documentation")
    outline.heading(1, "json — JSON encoder")
    outline.block("Text.")
    outline.heading(2, "Basic")
    outline.block("More.")
    assert [section.heading for section in outline.sections()] == [(), ("Basic",)]


def test_outline_closes_deeper_headings():
    outline = Outline()
    for level, name in ((2, "a"), (4, "b"), (3, "c"), (2, "d")):
        outline.heading(level, name)
        outline.block(name)
    assert [section.heading for section in outline.sections()] == [("a",), ("a", "b"), ("a", "c"), ("d",)]


def test_outline_leaves_out_what_lies_below_a_silent_heading():
    outline = Outline(left_out=frozenset(("references",)))
    outline.heading(2, "References:")
    outline.block("Book.")
    outline.heading(3, "Old")
    outline.code("Book.")
    outline.heading(2, "Legacy")
    outline.block("Kept.")
    assert outline.sections() == (Section(("Legacy",), "Kept.", 0),)


def test_outline_returns_to_the_section_around_details():
    outline = Outline()
    outline.heading(2, "Recipe")
    mark = outline.open_details("Hint")
    outline.block("Stir.")
    outline.close_details(mark)
    outline.block("Serve.")
    assert [(s.heading, s.text) for s in outline.sections()] == [(("Recipe", "Hint"), "Stir."), (("Recipe",), "Serve.")]


def test_outline_folds_white_space_and_drops_unseen_characters():
    assert fold(" a\u00a0\n b\u00adc\u200b\x07 d\ufeff") == "a bc d"


def test_outline_removes_joiners_that_join_nothing():
    assert fold("Rolling Stone\u200d '\u200bs list") == "Rolling Stone's list"
    assert fold("co\u200cop \u200d") == "coop "
    assert fold("می\u200cخواهم 👩\u200d👧") == "می\u200cخواهم 👩\u200d👧"


def test_outline_writes_code_with_plain_spaces():
    outline = Outline()
    outline.code("\u00a0 int x;\u00a0")
    assert outline.sections() == (Section((), "  int x;", 0),)


def test_outline_takes_a_first_heading_that_repeats_the_title_for_none():
    outline = Outline("Sort a list")
    outline.heading(2, "Sort a list.")
    outline.block("Text.")
    outline.heading(2, "Sort a list")
    outline.block("More.")
    assert [section.heading for section in outline.sections()] == [(), ("Sort a list",)]


def test_outline_leaves_out_joined_headings_when_all_parts_are_such():
    for name, kept in (
        ("References / External links", False),
        ("Notes and references", False),
        ("References & samples", True),
        ("Notes", True),
    ):
        outline = Outline(left_out=frozenset(("references", "external links")))
        outline.heading(2, name)
        outline.block("Text.")
        assert bool(outline.sections()) is kept, name


def test_outline_ends_the_headings_of_a_post_with_the_post():
    outline = Outline()
    outline.heading(2, "Answers")
    for text in ("First.", "Second."):
        mark = outline.open_post()
        outline.block(text)
        outline.heading(1, "Details")
        outline.block("More.")
        outline.close_post(mark)
    outline.block("After.")
    assert [(s.heading, s.text) for s in outline.sections()] == [
        (("Answers",), "First."),
        (("Answers", "Details"), "More."),
        (("Answers",), "Second."),
        (("Answers", "Details"), "More."),
        (("Answers",), "After."),
    ]


def test_outline_drops_furniture_alone():
    outline = Outline(furniture=frozenset(("Share this", "Menu")))
    outline.heading(2, "Menu")
    outline.block("Share  this")
    outline.block("The text.")
    outline.heading(2, "Part")
    outline.block("More. Share this")
    assert [(s.heading, s.text) for s in outline.sections()] == [((), "The text."), (("Part",), "More. Share this")]


def test_outline_heads_a_post_in_place_of_what_is_open():
    outline = Outline()
    outline.block("Why?")
    outline.heading(2, "2 Answers")
    for heading, text in (("Answer (score 2)", "Because."), ("Answer (score 2)", "Therefore.")):
        mark = outline.open_post(heading)
        outline.block(text)
        outline.heading(2, "Part")
        outline.block("More.")
        outline.close_post(mark)
    outline.block("Behind.")
    assert [(s.heading, s.text) for s in outline.sections()] == [
        ((), "Why?"),
        (("Answer (score 2)",), "Because."), (("Answer (score 2)", "Part"), "More."),
        (("Answer (score 2)",), "Therefore."), (("Answer (score 2)", "Part"), "More."),
        ((), "Behind."),
    ]  # fmt: skip
