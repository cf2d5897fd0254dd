"""Words that mean the opposite of each other, and claims that put one for the other (pure)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from drzero.loop.facts.denials import is_denied, undoubled
from drzero.loop.facts.wording import STOP_WORDS, nearest_sentence, share, stem
from drzero.text import words
from drzero.types import Fault

# Each pair with the forms that stemming does not bring together; a word may stand in several pairs.
_PAIRS = """
increase/decrease increased/fell increase/decline rise/fall rose/fell risen/fallen rising/falling grow/shrink
grew/shrank expand/contract expand/shrink gain/lose gained/lost win/lose won/lost victory/defeat victorious/defeated
before/after earlier/later early/late earliest/latest first/last former/latter begin/end began/ended beginning/end
start/end start/finish start/stop started/ceased open/close opened/closed opening/closing opening/closure
ancient/modern precede/follow predecessor/successor past/future old/new old/young oldest/youngest older/younger
older/newer oldest/newest north/south northern/southern northward/southward east/west eastern/western
eastward/westward northeast/southwest northwest/southeast northeastern/southwestern northwestern/southeastern
north/east north/west south/east south/west northern/eastern northern/western southern/eastern southern/western
northeast/northwest southeast/southwest left/right up/down upper/lower top/bottom above/below over/under
inside/outside inner/outer interior/exterior internal/external indoor/outdoor front/back front/rear forward/backward
forwards/backwards ascending/descending ascend/descend clockwise/counterclockwise clockwise/anticlockwise
horizontal/vertical near/far nearest/farthest nearby/distant vertical/lateral onshore/offshore upstream/downstream
uphill/downhill inland/coastal domestic/foreign local/remote local/global national/international national/local
urban/rural native/foreign large/small larger/smaller largest/smallest big/small bigger/smaller biggest/smallest
big/little great/small tall/short taller/shorter tallest/shortest long/short longer/shorter longest/shortest high/low
higher/lower highest/lowest wide/narrow wider/narrower widest/narrowest deep/shallow deepest/shallowest thick/thin
thicker/thinner thickest/thinnest fast/slow faster/slower fastest/slowest quick/slow quickly/slowly heavy/light
heavier/lighter heaviest/lightest hot/cold hotter/colder hottest/coldest warm/cool warm/cold warmer/cooler
warmer/colder warmest/coldest wet/dry wetter/drier wettest/driest hard/soft harder/softer strong/weak stronger/weaker
strongest/weakest rich/poor richer/poorer richest/poorest best/worst better/worse good/bad good/evil good/poor
more/less more/fewer most/least most/fewest many/few much/little maximum/minimum maximal/minimal maximise/minimise
maximize/minimize major/minor majority/minority plus/minus positive/negative add/remove addition/subtraction
add/subtract multiply/divide odd/even full/empty fill/empty whole/partial complete/partial completely/partly
entirely/partly fully/partially bright/dark light/dark light/heavy day/night sunrise/sunset dawn/dusk black/white
male/female man/woman men/women boy/girl boys/girls father/mother son/daughter brother/sister king/queen husband/wife
uncle/aunt nephew/niece actor/actress prince/princess emperor/empress grandfather/grandmother grandson/granddaughter
his/her he/she him/her maternal/paternal mothers/fathers gentleman/lady lord/lady alive/dead life/death living/dead
import/export importer/exporter buy/sell bought/sold purchase/sale buyer/seller borrow/lend borrower/lender
debt/credit profit/loss income/expense supply/demand employer/employee hire/fire hired/fired lend/borrow rent/own
enable/disable enabled/disabled allow/forbid allow/prohibit permit/prohibit permit/forbid accept/reject accept/refuse
approve/reject include/exclude inclusive/exclusive included/excluded admit/deny confirm/deny agree/disagree
appear/disappear connect/disconnect attach/detach lock/unlock install/uninstall encrypt/decrypt encode/decode
compress/decompress serialize/deserialize push/pull input/output client/server upload/download send/receive
sender/receiver request/response insert/delete create/delete create/destroy built/destroyed build/destroy
synchronous/asynchronous synchronously/asynchronously mutable/immutable static/dynamic public/private signed/unsigned
true/false required/optional mandatory/optional compulsory/voluntary automatic/manual automatically/manually
active/inactive active/passive actively/passively simple/complex easy/difficult easy/hard easier/harder
easiest/hardest cheap/expensive cheaper/dearer common/rare commonly/rarely frequent/rare frequently/rarely
often/rarely often/seldom usually/rarely always/never all/none everyone/nobody everything/nothing everywhere/nowhere
ever/never with/without present/absent presence/absence known/unknown success/failure succeed/fail
successful/unsuccessful succeeded/failed pass/fail passed/failed support/oppose supported/opposed supporter/opponent
proponent/opponent ally/enemy allied/hostile friend/enemy friendly/hostile love/hate like/dislike liberal/conservative
left-wing/right-wing attack/defend attack/defence offense/defense offensive/defensive war/peace guilty/innocent
convicted/acquitted arrest/release arrested/released strengthen/weaken improve/worsen raise/lower raised/lowered
accelerate/decelerate accelerate/slow widen/narrow lengthen/shorten join/leave joined/left enter/leave entered/left
arrive/depart arrival/departure arrived/departed remember/forget teach/learn taught/learned cause/prevent
causes/prevents protect/harm harmful/harmless useful/useless hopeful/hopeless painful/painless careful/careless
forbidden/allowed beneficial/harmful benefit/harm safe/dangerous safe/unsafe danger/safety toxic/harmless healthy/sick
healthy/ill acid/alkaline acidic/basic acidic/alkaline solid/liquid organic/inorganic natural/artificial
natural/synthetic real/fictional fact/fiction real/imaginary real/fake genuine/fake original/copy concrete/abstract
theory/practice similar/different same/different same/opposite equal/unequal alike/different identical/different
like/unlike convex/concave sharp/blunt smooth/rough tight/loose clean/dirty fresh/stale raw/cooked sweet/sour
sweet/bitter loud/quiet rise/set visible/invisible opaque/transparent permanent/temporary permanently/temporarily
temporary/lasting constant/variable stable/unstable fixed/variable finite/infinite regular/irregular direct/indirect
directly/indirectly formal/informal legal/illegal legally/illegally lawful/unlawful moral/immoral literate/illiterate
logical/illogical possible/impossible probable/improbable dependent/independent dependence/independence
mortal/immortal mature/immature perfect/imperfect monarchy/republic democracy/dictatorship democratic/autocratic
catholic/protestant christian/pagan theist/atheist sacred/secular religious/secular civilian/military
professional/amateur expert/beginner senior/junior teacher/student host/guest doctor/patient landlord/tenant
singular/plural vowel/consonant prefix/suffix noun/verb prose/poetry comedy/tragedy protagonist/antagonist
hero/villain fiction/nonfiction singer/listener winner/loser winning/losing predator/prey herbivore/carnivore
herbivorous/carnivorous wild/domestic wild/tame nocturnal/diurnal summer/winter spring/autumn spring/fall
morning/evening morning/afternoon freshwater/saltwater fresh/salt ocean/desert mountain/valley rural/city absorb/emit
absorb/release attract/repel expand/compress melt/freeze melting/freezing boil/freeze evaporate/condense inhale/exhale
heat/cool heating/cooling conductor/insulator anode/cathode oxidation/reduction proton/electron cation/anion
parallel/perpendicular parallel/series analog/digital analogue/digital wired/wireless online/offline hardware/software
debug/release explicit/implicit explicitly/implicitly eager/lazy greedy/lazy shallow/deep strict/lenient valid/invalid
ordered/unordered sorted/unsorted stable/volatile abundant/scarce surplus/deficit surplus/shortage optimist/pessimist
optimistic/pessimistic brave/cowardly generous/mean proud/ashamed happy/sad happiness/sadness pleasure/pain
praise/criticise praised/criticised praise/criticize praised/criticized praise/criticism acclaim/criticism
favourable/unfavourable favorable/unfavorable popular/unpopular fortunate/unfortunate lucky/unlucky
employed/unemployed employment/unemployment married/divorced married/unmarried marriage/divorce single/married
marry/divorce together/apart unite/divide united/divided merge/split merged/split join/separate combine/separate
simultaneous/consecutive backward/onward advance/retreat advanced/retreated invade/withdraw invasion/withdrawal
occupy/liberate occupied/liberated conquer/surrender surrender/resist elect/defeat elected/defeated appoint/dismiss
appointed/dismissed promote/demote promoted/demoted promoted/relegated promotion/relegation founded/dissolved
founded/disbanded formed/disbanded establish/abolish established/abolished introduce/abolish legalise/ban legalize/ban
allow/ban permitted/banned legal/banned encourage/discourage persuade/dissuade trust/distrust honest/dishonest
loyal/disloyal obey/disobey advantage/disadvantage ability/inability able/unable exclude/involve exact/approximate
exactly/approximately vague/precise literal/figurative subjective/objective theoretical/practical
theoretical/experimental deductive/inductive quantitative/qualitative doubled/tripled doubled/halved double/triple
twice/thrice daily/weekly daily/monthly daily/yearly weekly/monthly weekly/yearly monthly/yearly hourly/daily
""".split()
_IN = re.compile(r"(?:in|im|il|ir)(\w{3,}(?:able|ible|ant|ent|ate|ete|ive|ous|ular|ite|ect|ure))")
_UN = re.compile(r"(?:un|non-?)(\w{4,})")
_NO_PREFIX = frozenset(
    (
        "until under unit union unique unite united universe university universal uncle unless invaluable infamous "
        "different indifferent intent interior immediate include inherent innate incident instant invent intensive "
        "intense intimate increasing inure insure ensure immense imperative incorporate investigate indicate "
        "initiate inflate innovate intend import impress improve impact impart intact inspect inflammable "
    ).split()
)
_LITTLE = 0.5


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS:
        one, two = (stem(word) for word in pair.split("/"))
        if one != two:
            found.setdefault(one, set()).add(two)
            found.setdefault(two, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def are_opposites(one: str, two: str) -> bool:
    """Whether two stems are of words with opposite meanings, by the list or by a prefix that denies."""
    return two in _opposites().get(one, frozenset()) or _denying(one) == two or _denying(two) == one


def _denying(word: str) -> str:
    """The word that `word` denies by its prefix: `known` for `unknown`; "" for any other word."""
    if word in _NO_PREFIX:
        return ""
    match = _UN.fullmatch(word)
    return match[1] if match else ""


def opposite_fault(claim: str, evidence: str, nearest: str = "") -> Fault | None:
    """A word that the claim has more often than the evidence, and the sentence nearest to it has its opposite oftener.

    The rest of the claim must be there by half at least. What only one of them denies is left out: "did not
    differ" may well be the same.
    """
    claim, nearest = undoubled(claim), undoubled(nearest or nearest_sentence(claim, evidence))
    said = {word: stem(word) for word in words(claim)}
    stated = {word: stem(word) for word in words(nearest)}
    ours, near = Counter(map(stem, words(claim))), Counter(map(stem, words(nearest)))
    have = set(map(stem, words(evidence)))
    for word, one in said.items():
        if ours[one] <= near[one]:
            continue
        for other, two in stated.items():
            if ours[two] >= near[two] or not (are_opposites(one, two) or _denied_in_full(word, other)):
                continue
            if is_denied(claim, word) != is_denied(nearest, other) or _inverse(claim, word, nearest, other):
                continue
            rest = [third for fourth, third in said.items() if fourth not in STOP_WORDS and third != one]
            if not rest or share(rest, have) >= _LITTLE:
                return Fault("opposite", f'The evidence says "{other}", the claim "{word}".', "contradicted")
    return None


def _inverse(claim: str, word: str, nearest: str, other: str) -> bool:
    """Whether the two say the same from either end: "A lies north of B" and "B lies south of A"."""
    left, right = ({stem(one) for one in words(side) if one not in STOP_WORDS} for side in _around(claim, word))
    before, behind = ({stem(one) for one in words(side)} for side in _around(nearest, other))
    return bool((left & behind) - before) and bool((right & before) - behind)


def _around(text: str, word: str) -> tuple[str, str]:
    """What stands before and behind the first `word` of `text`."""
    match = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")


def _denied_in_full(one: str, two: str) -> bool:
    """Whether one word is the other with in-, im-, il- or ir- before it, as adjectives have it."""
    for long, short in ((one, two), (two, one)):
        match = _IN.fullmatch(long) if long not in _NO_PREFIX else None
        if match and match[1] == short:
            return True
    return False
