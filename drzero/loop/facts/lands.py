"""Lands and their peoples: "Canadian" for Canada, "French" for France (pure)."""

from __future__ import annotations

import re

_SAME = (
    "us usa america american americans", "uk britain british england english", "ussr soviet soviets",
    "france french", "germany german", "spain spanish", "netherlands holland dutch", "denmark danish dane",
    "sweden swedish swede", "norway norwegian", "finland finnish finn", "poland polish pole", "ireland irish",
    "scotland scottish scots", "wales welsh", "greece greek", "switzerland swiss", "turkey turkish turk",
    "thailand thai", "portugal portuguese", "philippines filipino philippine", "rome roman", "china chinese",
    "cuba cuban", "peru peruvian", "iraq iraqi", "iran iranian", "cyprus cypriot", "argentina argentine argentinian",
    "naples neapolitan", "venice venetian", "vienna viennese", "moscow muscovite", "normandy norman",
    "flanders flemish",
    "burma burmese", "lebanon lebanese", "ukraine ukrainian", "czech czechia", "serbia serb serbian", "mecca meccan",
)  # fmt: skip
GROUP_OF = {word: group for group in _SAME for word in group.split()}
# Lands, states and cities whose people are told by an ending.
LANDS = frozenset(
    "africa asia europe australia antarctica oceania arabia scandinavia polynesia melanesia micronesia siberia "
    "afghanistan albania algeria andorra angola armenia austria azerbaijan bahamas bahrain bangladesh barbados belarus "
    "belgium belize benin bhutan bolivia bosnia botswana brazil brunei bulgaria burundi cambodia cameroon canada chad "
    "chile colombia congo croatia dominica ecuador egypt salvador eritrea estonia ethiopia fiji gabon gambia "
    "georgia ghana grenada guatemala guinea guyana haiti honduras hungary iceland india indonesia israel italy jamaica "
    "japan jordan kazakhstan kenya kiribati korea kosovo kuwait laos latvia liberia libya liechtenstein lithuania "
    "macedonia madagascar malawi malaysia mali malta mauritania mauritius mexico moldova monaco mongolia montenegro "
    "morocco mozambique namibia nauru nepal nicaragua niger nigeria oman pakistan palau palestine panama paraguay "
    "romania russia rwanda samoa senegal seychelles singapore slovakia slovenia somalia sudan suriname syria taiwan "
    "tanzania togo tonga trinidad tunisia turkmenistan uganda uruguay uzbekistan venezuela vietnam yemen zambia "
    "zimbabwe rhodesia prussia bohemia moravia bavaria saxony silesia galicia catalonia andalusia castile sicily "
    "sardinia corsica tuscany lombardy brittany burgundy crete macedon sparta athens corinth thebes troy carthage "
    "phoenicia persia parthia babylon babylonia assyria sumer mesopotamia anatolia byzantium yugoslavia "
    "czechoslovakia tibet manchuria bengal punjab gujarat kashmir ceylon sumatra java bali hawaii alaska texas "
    "california florida virginia carolina pennsylvania alabama arizona colorado indiana kansas louisiana montana "
    "nevada oklahoma oregon philadelphia chicago boston houston ohio iowa idaho utah missouri mississippi tennessee "
    "kentucky michigan minnesota nebraska dakota quebec ontario alberta manitoba tasmania queensland victoria "
    "london paris berlin milan florence genoa padua bologna verona dublin glasgow liverpool manchester prague "
    "budapest warsaw lisbon madrid havana lima puerto caribbean andes amazonia himalaya balkans".split()
)
_PEOPLE = re.compile(r"(?:n|an|ian|ean|ese|ish|i|ic|er|nese)s?")
_PLACE = re.compile(r"(?:|a|e|y|o|s|ia|ium|ea)")
_NOT_ALIKE = ({"niger", "nigerian"}, {"niger", "nigerians"}, {"indiana", "indian"}, {"dominica", "dominican"})


def is_people_of(one: str, two: str) -> bool:
    """Whether one is a land and the other its people or language: Europe and European, Canada and Canadian."""
    if one in LANDS:
        land, people = one, two
    elif two in LANDS:
        land, people = two, one
    else:
        return False
    shared = 0
    while shared < min(len(land), len(people)) and land[shared] == people[shared]:
        shared += 1
    if shared < 4 or any({one, two} == pair for pair in _NOT_ALIKE):
        return False
    return any(_PLACE.fullmatch(land[cut:]) and _PEOPLE.fullmatch(people[cut:]) for cut in range(4, shared + 1))
