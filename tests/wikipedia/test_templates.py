"""Templates print what a reader of the page would see, and nothing that is no part of it."""

import pytest

from leaderboard.wikipedia.template_names import is_dropped, is_infobox
from leaderboard.wikipedia.wikitext import readable


def text(wikitext):
    found = readable("Vashel", wikitext)
    assert found.problems == ()
    return found.text


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("{{convert|12.5|km|mi}}", "12.5 km"),
        ("{{cvt|3200|km2|sqmi|abbr=on}}", "3,200 km²"),
        ("{{convert|5|ft|10|in|cm}}", "5 ft 10 in"),
        ("{{convert|3|to|5|m|ft}}", "3 to 5 m"),
        ("{{convert|3|-|5|C}}", "3–5 °C"),
        ("{{convert|3|x|4|x|5|m}}", "3 × 4 × 5 m"),
        ("{{flag|Vash}} won", "Vash won"),
        ("{{flagcountry|Vash}}", "Vash"),
        ("{{flagicon|Vash}} [[Ann Lamp]]", "(Vash) Ann Lamp"),
        ("{{flagicon|Vash}} [[Vash]]", "Vash"),
        ("{{flagathlete|[[Ann Lamp]]|VAS}}", "Ann Lamp (VAS)"),
        ("{{sortname|Ann|Lamp}}", "Ann Lamp"),
        ("{{sortname|Ann|Lamp|Ann Lamp (miller)}}", "Ann Lamp"),
        ("{{sort|003|third}}", "third"),
        ("{{dts|1901|5|3}}", "May 3, 1901"),
        ("{{dts|format=dmy|1901|May|3}}", "3 May 1901"),
        ("{{dts|3 May 1901}}", "3 May 1901"),
        ("{{dtsh|1901}}", "1901"),
        ("{{start date|1901|5|3|df=y}}", "3 May 1901"),
        ("{{Start date|1901|05}}", "May 1901"),
        ("{{birth date and age|1901|5|3}}", "May 3, 1901"),
        ("{{death date and age|1970|5|2|1901|5|3}}", "May 2, 1970 (aged 68)"),
        ("{{death date and age|1970|5|3|1901|5|3|df=yes}}", "3 May 1970 (aged 69)"),
        ("{{death year and age|1970|1901}}", "1970 (aged 68–69)"),
        ("{{birth date|unknown}}", "unknown"),
        ("{{nowrap|a b}}", "a b"),
        ("{{small|x}} {{big|y}}", "x y"),
        ("{{hlist|a|b|c}}", "a, b, c"),
        ("{{lang|vs|''vachel''}}", "vachel"),
        ("{{langx|fr|Vachel}}", "French: Vachel"),
        ("{{lang-de|Waschel}}", "German: Waschel"),
        ("{{lang-fr|Vachel|label=none}}", "Vachel"),
        ("{{circa|1900}}", "c. 1900"),
        ("{{circa}} 1900", "c. 1900"),
        ("{{c.|1900|1910}}", "c. 1900 – c. 1910"),
        ("{{goal|23|pen.|45}}", "goal 23 pen. 45"),
        ("{{abbr|VRC|Vashel Rowing Club}}", "VRC"),
        ("{{tooltip|VRC|Vashel Rowing Club}}", "VRC"),
        ("{{as of|1901|5}}", "As of May 1901"),
        ("{{as of|1901|lc=y}}", "as of 1901"),
        ("{{increase}} 3", "▲ 3"),
        ("{{decrease}} 3", "▼ 3"),
        ("{{coord|51|30|N|0|7|W|type:city}}", "51°30′N 0°7′W"),
        ("{{coord|51.5|-0.12}}", "51.5, -0.12"),
        ("x{{coord|51|30|N|0|7|W|display=title}}", "x"),
        ("{{formatnum:1234567.5}}", "1,234,567.5"),
        ("{{url|https://vashel.example/}}", "vashel.example"),
        ("{{url|vashel.example|Vashel}}", "Vashel"),
        ("a{{nbsp}}b{{spaced ndash}}c{{ndash}}d", "a b – c–d"),
        ("{{ill|Ann Lamp|de|lt=Lamp}}", "Lamp"),
        ("{{ill|Ann Lamp|de}}", "Ann Lamp"),
        ("x{{citation needed|date=May 1901}}{{sfn|Lamp|1901}}{{efn|a note}}{{Cite book|title=x}}", "x"),
        ("{{gold medal}}, {{silver2}}", "Gold, 2 (silver)"),
        ("{{MedalGold|1901 Vashel|Rowing}}", "Gold medal: 1901 Vashel Rowing"),
        ("{{height|ft=5|in=10}}", "5 ft 10 in"),
        ("{{height|m=1.78}}", "1.78 m"),
        ("{{weight|kg=70}}", "70 kg"),
        ("{{frac|1|2}} {{frac|3|1|2}} {{frac|4}}", "1/2 3 1/2 1/4"),
        ("5{{frac|1|2}} {{nowrap|7{{frac|2|3|4}}}}", "5 1/2 7 2 3/4"),
        ("10{{sup|6}} H{{sub|2}}O", "10^6 H2O"),
        ("{{US$|3000000}} {{INR|5}} {{GBP|7|link=yes}} {{US$}}", "US$3,000,000 ₹5 £7 US$"),
        ("{{percentage|1|8|1}} {{percentage|1|3}}", "12.5% 33%"),
        ("{{percentage|1|0}}", "1 0"),
        ("{{color|red|x}} {{font color|white|red|y}}", "x y"),
        ("{{yes}} {{no|Never}} {{won}} {{nom}} {{n/a}}", "Yes Never Won Nominated N/A"),
        ("{{marriage|Bo Reed|1901|1920}}", "Bo Reed (m. 1901–1920)"),
        ("{{USS|Mill|DD-1}}", "USS Mill (DD-1)"),
        ("{{nihongo|Lamp|灯|akari}}", "Lamp (灯, akari)"),
        ("{{val|3500|0.1|u=m}}", "3,500 ± 0.1 m"),
        ("{{film date|1901|5|3|Vashel|1902}}", "May 3, 1901 (Vashel); 1902"),
        ("{{lc:ABC}} {{PAGENAME}}", "abc"),
        ("a {{!}} b {{=}} c", "a | b = c"),
        ("{{{parameter|its default}}}", "its default"),
        ("{{mystery|seen too|20px|#fff|a.png|left|class=x|7}}", "seen too 7"),
        ("{{mystery|{{small|[[Mill|mills]]}}}}", "mills"),
        ("{{Lamp districts}}x", "x"),
    ],
)
def test_a_template_of_a_line(wikitext, expected):
    assert text(wikitext) == expected


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{plainlist|\n* Ann\n* [[Bo Reed|Bo]]\n}}",
        "{{flatlist|\n* Ann\n* Bo\n}}",
        "{{bulleted list|Ann|Bo}}",
    ],
)
def test_a_list_template_is_a_list(wikitext):
    assert text(wikitext) == "- Ann\n- Bo"


def test_an_unbulleted_list_is_a_line_an_item():
    assert text("{{ubl|Ann|Bo}}") == text("{{Unbulleted list|Ann|Bo}}") == "Ann\nBo"


def test_an_infobox_is_lines_of_labels_and_values():
    box = """{{Infobox settlement
| name = Vashel
| image_skyline = Vashel.jpg
| image_size = 200px
| image_caption = The bridge
| population_total = {{formatnum:30120}}<ref>Count</ref>
| established_date = {{start date|1901|5|3}}
| rivers = {{plainlist|
* [[Orrin]]
* Mill
}}
| mayors = Ann Lamp<br />Bo Reed<br>(acting)
| label1 = Twin town
| data1 = Lowmill
| empty =
| coordinates = {{coord|51|30|N|0|7|W|display=inline,title}}
}}
'''Vashel''' is a town."""
    assert text(box) == (
        "Name: Vashel\nImage caption: The bridge\nPopulation total: 30,120\nEstablished date: May 3, 1901\n"
        "Rivers: Orrin; Mill\nMayors: Ann Lamp; Bo Reed (acting)\nTwin town: Lowmill\nCoordinates: 51°30′N 0°7′W\n\n"
        "Vashel is a town."
    )


def test_an_infobox_in_an_infobox_keeps_its_lines():
    box = "{{Infobox person|name=Ann|module={{Infobox rower|embed=yes|club=Vashel\n|best=\n{|\n| 1901 || 3rd\n|}\n}}|died=1970}}"
    assert text(box) == "Name: Ann\nClub: Vashel\n1901 | 3rd\nDied: 1970"


def test_labels_that_only_look_like_layout_stay():
    labels = "style=brick|state=Lowland|class=Mill|width=3 m|source=Orrin springs|architectural_style=plain|hair_color=red|body_found=1901"
    layout = "image=a.png|map_size=x|logo_alt=y|team_color=blue|abovestyle=z|body1=w|signature=b.svg|state2=collapsed"
    assert text(f"{{{{Infobox thing|{labels}|{layout}}}}}") == (
        "Style: brick\nState: Lowland\nClass: Mill\nWidth: 3 m\nSource: Orrin springs\nArchitectural style: plain\n"
        "Hair color: red\nBody found: 1901"
    )


def test_an_unknown_template_with_named_arguments_on_its_own_line_is_a_row():
    row = "{{Regatta result\n|date=3 May 1901\n|crew1={{flag|Vash}}\n|score=2–1\n|bgcolor=red\n}}\n"
    assert text("Before\n" + row + row.replace("1901", "1902")) == (
        "Before\n\ndate: 3 May 1901 | crew1: Vash | score: 2–1\n\ndate: 3 May 1902 | crew1: Vash | score: 2–1"
    )
    assert text("inside {{regatta result|date=3 May 1901|score=2–1|Ann}} a line") == "inside Ann a line"


def test_rows_inside_an_argument_of_another_template_are_lines():
    rows = "{{Race list|RaceNumber=1|title=The Lamp}}\n{{Race list|number=2|title=The Mill|note={{small|[[Ann]]}}}}"
    assert text(f"{{{{Race table|background=#fff|races=\n{rows}\n}}}}") == (
        "Race Number: 1 | title: The Lamp\nnumber: 2 | title: The Mill | note: Ann"
    )


@pytest.mark.parametrize(
    "name",
    ["reflist", "cite web", "sfn", "efn", "main", "see also", "use dmy dates", "short description", "lamp navbox",
     "vashel sidebar", "river-stub", "authority control", "commons category", "pp-protected", "page needed", "ipa-fr"],
)  # fmt: skip
def test_what_is_no_part_of_the_page_is_dropped(name):
    assert is_dropped(name)
    assert text(f"x{{{{{name}|some words|title=others}}}}") == "x"


def test_what_is_a_box():
    assert [name for name in ("infobox", "infobox town", "river infobox", "taxobox", "speciesbox", "boxing record")
            if is_infobox(name)] == ["infobox", "infobox town", "river infobox", "taxobox", "speciesbox"]  # fmt: skip
