"""What a speaker says before saying anything: "Sure!", "Well," (pure)."""

from __future__ import annotations

import re

_SAYS_NOTHING = (
    r"(?:oh(?: (?:my(?: go[ds]h?)?|yes|no|wow))?|ah|aww?|hmm+|wow|well|yes|yeah|yea|yep|yup|no|nope|sure(?: thing)?"
    r"|certainly|absolutely|definitely|indeed|of course|okay|ok|(?:ha){2,}|i (?:agree|see|know|bet)|me too|same here"
    r"|thanks|thank you|you['’]re welcome|(?:that['’]s a )?(?:good|great) question|here(?: is|['’]s) the answer"
    r"|i hope (?:this|that) helps|happy to help)"
)
# These are also names and values, as in "True, False and None": they open only before a full stop or a pronoun.
_PRAISE = (
    r"(?:exactly|right|true|nice|great|cool|awesome|interesting|kind of"
    r"|(?:that ?['’]?s|that is) (?:right|true|great|cool|nice|awesome|correct))"
)
_PRONOUN = r"(?:he|she|it|they|i|we|you|there|this|that|its|his|her|their)"
_OPENER = re.compile(
    rf"^\s*(?:(?:{_SAYS_NOTHING}\b(?:\s*[,.!:;–—…-]+|\s*$|(?=\s*:\))|(?=\s+{_SAYS_NOTHING}\s*[,.!]))"
    rf"|{_PRAISE}\b(?:\s*[.!…]+|\s*$|(?=\s*:\))|\s*,(?=\s+{_PRONOUN}\b)))\s*(?::\)\s*)?)+"
    r"(?:(?:and|but|so)\s+(?=[a-z]))?",
    re.IGNORECASE,
)
_BARE = re.compile(r"^\s*(?:well|yes|yeah|yea|yep|oh|ah)\s+(?=(?:he|she|it|they|it['’]?s|the|in|[A-Z])\b)")


def without_opener(sentence: str) -> str:
    """`sentence` without the words at its beginning that say nothing; "" when there are no others."""
    return _BARE.sub("", _OPENER.sub("", sentence))
