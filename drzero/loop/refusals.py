"""Why an episode gave no entry: each code in plain words, for people who know nothing of gates (pure)."""

from __future__ import annotations

PROPOSALS = {
    "no-seed": "no passage that was drawn has anything to ask of the types wanted",
    "malformed": "the proposal is no single question of 5 to 40 words",
    "wrong-type": "the question is not of the type that was wanted",
    "leans-on-passage": "the question speaks of a text that its reader does not see",
    "many-answers": "the question asks for one of many examples",
    "unresolved-reference": "the question speaks of someone or something that it does not name",
    "names-no-subject": "the question does not name what its article is about",
    "roles-swapped": "the question exchanges who did it and to whom",
    "answer-in-question": "the question tells its own answer",
    "strays-from-source": "the question speaks of what its source does not",
    "adds-to-source": "the question says “first”, “only” or the like, which its source does not",
    "other-event": "the question is about another event than the date in the source",
    "lasting-state": "the question wants a date of what lasts",
    "no-reason": "the source gives no reason",
    "reason-in-question": "the question asks about the reason itself",
    "one-sided": "the comparison does not name two sides",
    "compares-with-itself": "both sides of the comparison are the same thing",
    "single-source": "the question is to need two articles and has one",
    "names-its-bridge": "the question names what it was to describe",
    "names-no-bridge": "no description was found for what links the two articles",
    "names-no-code": "neither question nor answer carries code or a name of it",
    "near-copy": "the question was asked before in nearly these words",
    "not-answered-by-source": "the writer finds no answer to its question in the source",
    "answer-misses-span": "the proposed answer lacks what was asked for",
    "answer-adds-facts": "the proposed answer has a name or number that the source has not",
    "answer-adds-words": "the proposed answer says much that the source does not",
    "negation": "the proposed answer denies what the source says, or the other way round",
    "answer-departs-from-source": "the proposed answer says something otherwise than the source",
    "answer-says-more": "the proposed answer says more than the reason that was asked for",
    "answer-repeats-question": "the proposed answer only repeats the question",
    "answer-repeats-itself": "the proposed answer says the same again and again",
    "answer-does-not-stand-alone": "the proposed answer cannot be understood by itself",
    "answer-is-no-sentence": "the proposed answer is no whole sentence",
    "source-does-not-support": "the judge does not find the proposed answer in its source",
    "not-alone": "the writer finds that the question cannot be understood by itself",
    "not-fits": "the writer finds that the answer does not fit the question",
    "not-stated": "the writer finds that the source does not state the answer",
    "not-judged": "the writer's judgement of the proposal could not be read",
    "not-worth-keeping": "the signs together say that the proposal is not worth keeping",
    "not-answerable": "a reader of the evidence does not answer as the proposal does",
    "needs-one-source-only": "one of the two articles is enough to answer it",
    "not-robust": "a reader goes wrong once other passages stand beside the evidence",
    "ambiguous": "other passages give another answer",
}
"""What refuses a proposal, by the name of the gate."""

OUTPUTS = {
    "output-no-text": "the writer gave no text",
    "output-garbled": "the writer's output has bytes that are no UTF-8, or control characters",
    "output-empty": "the writer's output has no letter and no digit",
    "output-fenced": "the writer's output begins with a code fence, or with thoughts between tags",
    "output-structured": "the writer gave JSON in place of a sentence",
    "output-endless": "the writer said the same again and again until its limit",
    "output-cut": "the writer's output was cut before its first sentence ended",
}
"""What makes an output of the writer unusable, at a proposal or at an answer."""

ANSWERS = {
    "not-found": "the solver found no answer in the archives",
    "wrong": "the answer is supported, but it is not what the reference says",
    "fragment": "the answer is right, but cannot be read without its question",
    "unsupported": "the cited words do not support the answer",
    "contradicted": "the cited words say otherwise than the answer",
    "unchecked": "whether the cited words support the answer could not be told",
    "failure": "an unexpected error ended the challenge",
}
"""What an answer lacks; behind a colon stands the verifier's code, or the kind of error."""

CHECKS = {
    "no-citation": "nothing is cited",
    "invented-citation": "a source is cited that was not given",
    "mixed-subjects": "two articles of one name are joined",
    "quote-not-found": "the quoted words do not stand in the passage",
    "quote-elsewhere": "the quoted words stand elsewhere in the passage",
    "quote-of-another-passage": "the quoted words stand in another passage",
    "quote-stitched": "the quote joins words of two places",
    "quote-ellipsis": "the quote leaves something out",
    "quote-changed": "the quote changes a word",
    "quote-wording": "the quote is not in the article's own spelling",
    "quote-empty": "the quote is empty",
    "quote-too-short": "the quote says nothing of its own",
    "off-question": "the evidence is about something else than the question names",
    "not-a-statement": "it is no statement",
    "first-person": "somebody speaks of himself in it",
    "number": "a number differs, or is not there",
    "date": "a date differs, or is not there",
    "unit": "a unit differs",
    "bound": "a bound differs, such as “at least”",
    "name": "a name is not there",
    "subject": "whom the evidence speaks of is not told",
    "identifier": "a code name is not there",
    "conclusion": "what it concludes from two facts does not follow",
    "class": "nothing says what kind of thing its subject is",
    "roles": "doer and sufferer are exchanged",
    "negation": "one of them denies what the other says",
    "opposite": "it says the opposite",
    "frequency": "it says how often otherwise",
    "quantity": "it says how many otherwise",
    "duty": "“must” and “may” are exchanged",
    "hedge": "it is surer than the evidence",
    "only": "it has an “only” of its own",
    "superlative": "it says “the most” of one of several",
    "cover": "the evidence has too few of its words",
    "empty-claim": "it says nothing",
    "entailment": "the judge does not believe it",
    "unchecked": "the judge could not tell",
}
"""What the verifier finds, by its code; see the README for each layer."""


def meaning(reason: str) -> str:
    """What the reason of an episode that gave no entry means, "" for one that is unknown."""
    code, _, more = reason.partition(": ")
    plain = (PROPOSALS | OUTPUTS | ANSWERS).get(code, "")
    return f"{plain}: {CHECKS[more]}" if plain and more in CHECKS else plain
