from drzero.corpus.markdown import read_markdown

LESSON = """---
id: 56
title: 'Escape: Quotes'
videoUrl: x
---

# --description--

A <dfn>string</dfn> holds `**text**`, *never* a **number** like 2 < 3 (see [the docs](https://x.y/z_(a))).
Second line.

- one `<a>` tag
- two

1. first
   goes on

```js
const a = "<p>";

--fcc-editable-region--
  a*b*c;
```

<pre>
 1 | 2
</pre>

| A | B |
| --- | --- |
| 1 | `x` |

# --seed--

## --before-user-code--

```js
let x_y_z = 1;
```

# --solutions--
"""


def test_markdown_reads_a_lesson():
    page = read_markdown(LESSON)
    assert page.title == "Escape: Quotes"
    assert [(section.heading, section.text) for section in page.sections] == [
        (
            ("Description",),
            "A string holds **text**, never a number like 2 < 3 (see the docs). Second line.\n"
            "one <a> tag\ntwo\n1. first goes on\n"
            '```js\nconst a = "<p>";\n\n  a*b*c;\n```\n 1 | 2\nA: 1; B: x',
        ),
        (("Seed", "Before user code"), "let x_y_z = 1;"),
    ]


def test_markdown_takes_its_title_from_the_first_heading():
    page = read_markdown("# Notes\n\nText with \\*stars\\* and snake_case_name.")
    assert (page.title, page.sections[0].text) == ("Notes", "Text with *stars* and snake_case_name.")


def test_markdown_survives_broken_front_matter_and_open_fences():
    page = read_markdown("---\ntitle: A: B: [\n---\n```\nopen\n  code")
    assert (page.title, page.sections[0].text) == ("A: B: [", "open\n  code")


def test_markdown_breaks_lines_where_two_blanks_or_a_backslash_end_them():
    assert [s.text for s in read_markdown("if < 5 - Tiny  \nif < 10 - Small\\\nelse\nlarge").sections] == [
        "if < 5 - Tiny\nif < 10 - Small\nelse large"
    ]


def test_markdown_numbers_ordered_lists_as_a_reader_sees_them():
    text = (
        "1. Open it.\n1. Read it.\n   It is long.\n    2) sub\n    2) more\n\n1. Close it.\n- dot\n\nText.\n\n7) Other."
    )
    assert [section.text for section in read_markdown(text).sections] == [
        "1. Open it.\n2. Read it. It is long.\n2. sub\n3. more\n3. Close it.\ndot\nText.\n7. Other."
    ]
