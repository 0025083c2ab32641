"""Names of templates: which are left out, which only wrap their text, which stand for a word or a sign."""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.replace("\n", " ").split(",") if name.strip())


_NOTES = _names("""
    r, ref, rp, refn, refs, reflist, references, notelist, notelist-lr, notelist-ua, efn, efn-lr, efn-ua, efn-lg,
    sfn, sfnp, sfnm, sfnref, harv, harvnb, harvp, harvtxt, harvcol, note, notetag, ref label, cn, fact, who, when,
    where, which, whom, why, clarify, clarification needed, dubious, disputed inline, page needed, isbn, oclc, issn, doi,
    pmid, pmc, arxiv, bibcode, lccn, jstor, hdl, asin, zbl, vague, verify source, failed verification, dead link,
    webarchive, wayback, cbignore, full citation needed, better source needed, better source, citation needed,
    citation needed span, self-published inline, self-published source, primary source inline, third-party inline,
    unreliable source?, medical citation needed, original research inline, synthesis inline, pov statement,
    update inline, update after, needs update, by whom, according to whom, refbegin, refend, subscription required,
    registration required, open access, free access, self-reference, gbooks, google books, internet archive id
""")
_NOTICES = _names("""
    main, main article, main articles, see also, further, further information, details, more, about, for, for-multi,
    for2, other uses, other people, other places, other ships, hatnote, hatnote group, rellink, redirect, redirect2,
    redirect-distinguish, redirect-multi, distinguish, not to be confused with, similar names, about-distinguish,
    technical reasons, selfref, broader, unreferenced, refimprove, more citations needed, more references, blp sources,
    blp unsourced, one source, primary sources, original research, cleanup, copy edit, expand section, expand language,
    multiple issues, update, orphan, pov, notability, weasel, peacock, advert, coi, tone, globalize, lead too short,
    lead rewrite, lead too long, very long, use dmy dates, use mdy dates, use ymd dates, use list-defined references,
    engvarb, short description, good article, featured article, featured list, italic title, italictitle,
    displaytitle, defaultsort, default sort, lowercase title, title language, family name hatnote,
    family name explanation, chinese name, spanish name, portuguese name, indian name, eastern name order, patronymic,
    contains special characters, special characters, cleanup bare urls, bare urls, bare url inline, under construction,
    in use, bots, nobots, coord missing, incomplete list, dynamic list, more none, missing information, empty section,
    current, recent death, split, merge, merge to, merge from, copied, featured topic, expert needed, very long section
""")
_LINKS = _names("""
    authority control, taxonbar, portal, portal bar, portal-inline, portals, subject bar, commons, commons category,
    commons category-inline, commonscat, commons-inline, wikiquote, wikisource, wiktionary, wikivoyage, wikinews,
    wikiversity, wikibooks, wikispecies, wikidata, wikicite, sister project links, sister project, sisterlinks,
    spoken wikipedia, official website, official url, imdb name, imdb title, imdb episode, discogs artist, discogs master,
    find a grave, internet archive author, librivox author, gutenberg author, curlie, dmoz, twitter, facebook,
    instagram, youtube, musicbrainz artist, allmusic, rotten tomatoes, mojo title, wikt-lang
""")
_SOUND = _names("""
    ipa, respell, pron, pronunciation, listen, audio, audio-ipa, multi-listen start, multi-listen item, multi-listen end,
    external media, usdict
""")
_LAYOUT = _names("""
    anchor, anchors, clear, clr, -, toc, tocleft, tocright, toc limit, toclimit, compact toc, horizontal toc, toc2,
    alphatoc, div col, div col end, divcol end, columns-start, columns-end, column, col-begin, col-end, col-break, col-2,
    col-3, col-4, col-5, col-float, col-float-end, col-float-break, col-begin-small, end, multicol, multicol-break,
    multicol-end, start box, end box, s-start, s-end, s-off, s-rel, s-roy, s-gov, s-ppo, s-par, s-mil, s-sports, s-ach,
    s-aca, s-media, s-hou, s-reg, hidden begin, hidden end, collapse top, collapse bottom, cob, cot, css image crop,
    location map, location map+, location map~, location map many, osm location map, maplink, mapframe, graph:chart,
    bar chart, pie chart, superimpose, hidden sort key, hs, sortkey, hid, void, invisible, wbr, zwj, zwnj, zwsp, wj, shy,
    nowrap begin, nowrap end, sronly, rh, n#, party color, party color cell, sort-none, stack begin, stack end, pagename,
    aligned table start, row hover highlight, sticky header, table alignment, static row numbers, sort under,
    mw-datatable, wikitable, flaglist start, revisionuser, template other, namespace, big table, image array, annotated image
""")
DROPPED = _NOTES | _NOTICES | _LINKS | _SOUND | _LAYOUT
"""Templates that are no part of what a page says, by lower-case name."""

_DROPPED_FAMILY = re.compile(
    r"(?:cite|citation|vcite|harv|sfn|efn|ipa|ipac-|pp-|use [a-z]+ (?:english|spelling)|db-|cleanup|expand |portal|commons"
    r"|wik(?:i|t)[a-z]* |sister|navbox|authority|location map|graph:|attached kml|official |template:|infobox mapframe"
    r"|contains [a-z]+ text|pronunciation|coord missing|articles? for deletion|proposed deletion|about )"
    r"|.*(?:navbox|sidebar|[ -]stub|-footer| footer|needed| inline|disambiguation|dmy dates|mdy dates|project)$"
)

_INFOBOX = re.compile(
    r"infobox\b.*|.* infobox|(?:automatic |mycomorph)?taxobox|(?:sub|infra)?speciesbox|hybridbox|virusbox|chembox|drugbox"
    r"|geobox|starbox [a-z]+|ethnic group"
)

_FIRST = _names("""
    nowrap, nobr, small, smaller, big, larger, large, nobold, noitalic, no italic, center, centre, left, right, italic, bold,
    em, strong, b, i, u, s, strikethrough, del, ins, sub, visible anchor, vanchor, poem, poemquote, abbr, abbrlink, tooltip,
    samp, code, kbd, var, mvar, dfn, linktext, not a typo, notatypo, sic, proper name, as written, mono, monospace, varserif,
    serif, script, title case, block indent, blockindent, bq, pslink, birth-date, death-date, birth-date and age,
    death-date and age, start-date, end-date, term, defn, glossary, wikilink, noflag, nastaliq, script/hebrew, char,
    annotated link, no selflink, flag, flagcountry, flagu, flagg, flag+link, flagdeco+link, noflag+link, flagioc, fb, fbw,
    fb-rt, nft, cr, cr-rt, cry, ru, ru-rt, ih, bb, vb, bbl
""")
_SECOND = _names("""
    lang, transl, transliteration, color, colour, coloured link, colored link, text color, background color, bgcolor, legend,
    legend0, legend-line, align, rtl-lang, script-lang, lower, raise
""")
WRAPPERS = {**dict.fromkeys(_FIRST, 0), **dict.fromkeys(_SECOND, 1)}
"""Templates that print one positional argument: name → its place, from 0. Where it is absent, the one before."""

WORDS = {
    "yes": "Yes", "y": "Yes", "aye": "Yes", "tick": "Yes", "check": "Yes", "checked": "Yes", "checkmark": "Yes", "ya": "Yes",
    "no": "No", "nay": "No", "cross": "No", "x mark": "No", "xmark": "No", "n": "No", "won": "Won", "win": "Won",
    "nom": "Nominated", "nominated": "Nominated", "lost": "Lost", "loss": "Lost", "draw": "Draw", "tie": "Tie",
    "pending": "Pending", "n/a": "N/A", "na": "N/A", "dunno": "?", "unknown": "Unknown", "tba": "TBA", "tbd": "TBD",
    "tbc": "TBC", "partial": "Partial", "some": "Some", "maybe": "Maybe", "none": "None", "free": "Free",
    "active": "Active", "cancelled": "Cancelled", "dropped": "Dropped", "included": "Included", "eliminated": "Eliminated",
    "runner-up": "Runner-up", "runner up": "Runner-up", "success": "Success", "failure": "Failure", "partial failure": "Partial failure",
    "planned": "Planned", "any": "Any", "depends": "Depends", "good": "Good", "bad": "Bad", "sho": "Shortlisted", "shortlisted": "Shortlisted",
    "longlisted": "Longlisted", "recipient": "Recipient", "honored": "Honored", "proprietary": "Proprietary", "table-no": "No",
    "gold medal": "Gold", "silver medal": "Silver", "bronze medal": "Bronze", "gold1": "1 (gold)", "silver2": "2 (silver)",
    "bronze3": "3 (bronze)", "gold01": "1 (gold)", "silver02": "2 (silver)", "bronze03": "3 (bronze)", "gold": "Gold", "silver": "Silver",
    "bronze": "Bronze",
}  # fmt: skip
"""Templates that print a word, or the first argument in its place."""

SIGNS = {
    "!": "|", "=": "=", "nbsp": " ", "spaces": " ", "space": " ", "thinsp": " ", "thin space": " ", "hair space": " ",
    "spaced ndash": " – ", "snd": " – ", "spnd": " – ", "spndash": " – ", "spaced en dash": " – ", "dash": "–",
    "ndash": "–", "en dash": "–", "mdash": "—", "em dash": "—", "spaced mdash": " — ", "snds": " – ", "minus": "−", "sndash": " – ",
    "dot": " · ", "·": " · ", "middot": " · ", "bullet": " • ", "•": " • ", "bold middot": " · ", "pipe": "|", "hyphen": "-", "'": "'",
    "apostrophe": "'", "'s": "'s", "\"'": "\"'", "'\"": "'\"", "-\"": "\"", "okina": "ʻ", "hamza": "ʾ", "ayin": "ʿ", "slash": " / ",
    "increase": "▲", "decrease": "▼", "steady": "●", "up": "▲", "down": "▼", "same position": "●", "gain": "▲",
    "increase negative": "▲", "decrease positive": "▼", "increasenegative": "▲", "decreasepositive": "▼", "increaseneutral": "▲",
    "decreaseneutral": "▼", "profit": "▲", "degree": "°", "°": "°", "times": "×", "sharp": "♯", "flat": "♭", "((": "{{",
    "))": "}}", "(": "{", ")": "}", "!!": "||", "lbrace": "{", "rbrace": "}", "br": "\ue002", "break": "\ue002",
    "crlf": "\ue002", "pb": "\ue002", "paragraph break": "\ue002", "us$": "US$", "euro": "€", "pound": "£",
    "rupee": "₹", "numero": "No.", "no.": "No.", "hash": "#", "ditto": "〃", "star": "★", "dagger": "†", "double-dagger": "‡", "double dagger": "‡", "ddagger": "‡",
    "section sign": "§", "asterisk": "*", "pi": "π", "in5": " ",
}  # fmt: skip
"""Templates that stand for a sign, whatever their arguments (a sum after "US$" is set by its own rule)."""

EVENTS = {
    "goal": "goal", "yel": "yellow card", "sent off": "sent off", "suboff": "substituted off", "subon": "substituted on",
    "pengoal": "penalty scored", "penmiss": "penalty missed", "pso": "penalty",
}  # fmt: skip
"""Templates of a match: name → the word before the minutes and notes that they hold."""

MONEY = {
    "us$": "US$", "usd": "US$", "us dollar": "US$", "inr": "₹", "indian rupee": "₹", "rupee": "₹", "₹": "₹", "gbp": "£",
    "pound": "£", "pound sterling": "£", "£": "£", "eur": "€", "euro": "€", "€": "€", "jpy": "¥", "yen": "¥", "jp¥": "¥", "¥": "¥",
    "a$": "A$", "au$": "A$", "aud": "A$", "c$": "C$", "ca$": "C$", "cad": "C$", "nz$": "NZ$", "nzd": "NZ$", "hk$": "HK$", "hkd": "HK$",
    "nt$": "NT$", "s$": "S$", "sgd": "S$", "cny": "CN¥", "cn¥": "CN¥", "krw": "₩", "₩": "₩", "php": "₱", "₱": "₱", "rub": "₽", "brl": "R$",
    "r$": "R$", "zar": "R", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "mxn": "MX$", "bdt": "৳", "pkr": "₨", "myr": "RM", "idr": "Rp",
    "thb": "฿", "ils": "₪", "try": "₺", "ngn": "₦", "naira": "₦", "uah": "₴", "pln": "zł", "vnd": "₫", "irr": "IRR", "kes": "KSh", "ghs": "GH₵",
}  # fmt: skip
"""Templates that print a sum of money: name → what stands before the number."""

LANGUAGES = {
    "ar": "Arabic", "bn": "Bengali", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gd": "Scottish Gaelic",
    "grc": "Ancient Greek", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian",
    "ms": "Malay", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sa": "Sanskrit", "sk": "Slovak", "sl": "Slovene", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
    "ca": "Catalan", "bg": "Bulgarian", "mi": "Māori", "haw": "Hawaiian", "yi": "Yiddish", "nb": "Norwegian", "gu": "Gujarati", "mr": "Marathi",
}  # fmt: skip
"""Language codes of ``lang-xx`` and ``langx``, with the names that these templates print."""


def is_dropped(name: str) -> bool:
    """Tell whether a template of this lower-case name is left out: a note, a notice, a link to elsewhere, layout."""
    return name in DROPPED or bool(_DROPPED_FAMILY.match(name[:200]))


def is_infobox(name: str) -> bool:
    """Tell whether a template of this lower-case name is a box of labels and values."""
    return bool(_INFOBOX.fullmatch(name[:200]))
