"""The words around dates: what leads to one, what leaves one in doubt, what is no date."""

from __future__ import annotations

from typing import Final


def _all(words: str, why: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), why)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SMALL_NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
MINUTES_OF: Final = {"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60}
DAYS_OF: Final = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14}
INEXACT_UNITS: Final = _set("month months year years business working couple few")
PERIODS: Final = _set("week weekend month quarter year")
LAST_MONTHS: Final = {"q1": 3, "q2": 6, "q3": 9, "q4": 12}
BEGINNINGS: Final = (
    _set(
        "at noon midnight eod eom eoy eow eoq end close today tonight tomorrow day in within "
        "yesterday daily weekly monthly yearly"
    )
    | PERIODS
    | frozenset(SMALL_NUMBERS)
)
"""The words, beside months and weekdays, with which something like a date begins."""
DASHES: Final = frozenset("-‐‑–—−")
LEADING: Final = _set("by on until till due deadline for at of than before the")
DUE: Final = _set("by on until till due before coming this")
ALSO_WORDS: Final = _set("may march mar jan jun sep dec sept august")
"""Months that are read in lower case only where what is beside them shows that a month is meant."""
SKIPPED: Final = frozenset({"the", "of", "on", "a", "is", ":", "(", "'", '"'})
NO_DEADLINE: Final = {
    **_all("around about approximately approx circa roughly ca ~", "is given as about"),
    **_all(
        "early mid late beginning start middle half morning afternoon evening night eve week weekend "
        "days weeks hours minutes months day fortnight year",
        "is only near what is meant",
    ),
    **_all("near towards toward nearing", "is only near what is meant"),
    **_all(
        "after since from starting starts begins between to through thru as effective valid available opens",
        "is where something begins or a span of time ends",
    ),
    **_all(
        "born dated signed sent received started founded married died issued created updated promised "
        "agreed asked learned noted mentioned said told bought ordered paid was were met gave got went "
        "began made took came wrote saw held left won lost spoke heard knew chose became ran sold felt "
        "found kept led broke brought built caught drew drove ate fell flew forgot grew rose shook slept "
        "spent stood swore taught thought threw understood woke wore",
        "may be when something happened",
    ),
    **_all(
        "business cob eob close thing lunch dinner breakfast dawn dusk sunrise sunset noon midnight",
        "has a time that isn't exact",
    ),
    **_all("version build tag edition section chapter page room flight id", "may be a name"),
    **_all(
        "windows ios android macos ubuntu debian fedora python java php node iphone pixel chrome firefox top "
        "boeing airbus",
        "may be part of a name",
    ),
    **_all(
        "not never except unless or but nor neither bar excluding without versus vs unlike ignore skip avoid "
        "instead lieu besides",
        "may be what is not meant",
    ),
    **_all("ahead beyond", "is only what something is compared with"),
    **_all(
        "every each last past previous other alternate first second third fourth annually yearly monthly "
        "weekly daily",
        "recurs or is over",
    ),
    **_all("next following", "may be this one or the one after"),
}
"""Words before a date, and why it then may be no deadline: "the date ..."."""
MOVED: Final = _set("extended moved postponed pushed delayed rescheduled deferred")
AFTERWARDS: Final = {
    **_all(
        "morning afternoon evening night midnight cob eob close lunch dinner",
        "has a time that isn't exact",
    ),
    **_all("onwards onward ish", "is where something begins"),
    **_all("from between until till through thru", "is where a span of time begins"),
    **_all("after before of week weekend fortnight next last", "is only near what is meant"),
    **_all("st street road rd avenue ave lane blvd", "may be an address"),
    **_all("de del di da do du des der dem", "may be of another language"),
    "or": "is one of several",
    "?": "is in question",
    "day": "may be part of a name",
}
"""Likewise, words after it."""
ZONE_WORDS: Final = _set("eastern central mountain pacific atlantic aoe local zulu")
NO_PLURALS: Final = _set("this across always unless besides does")
QUANTITIES: Final = _set(
    "people persons guests attendees items times miles km kg g m cm mm lb lbs oz liters litres percent "
    "pages words copies units pieces hours hour hrs hr h days weeks months years minutes mins seconds "
    "euros dollars pounds usd eur bytes kb mb gb tb apples bottles boxes chapters votes min sec secs "
    "second seconds day week month year night nights wk wks mo mos yr yrs pts points stars fold abreast"
)
"""What a number before it counts."""

# -- what stands near a date, as date_surroundings looks at it --

NEGATIONS: Final = _set(
    "not no never none nothing nobody neither nor cannot without dont doesnt isnt wasnt wont cant aint hardly"
)
NEGATIONS_MEANT_WELL: Final = _set("forget miss later late delay fail hesitate")
"""What may follow a negation without changing the date: don't forget, no later than."""
SPAN_UNITS: Final = _set(
    "minute minutes min mins hour hours hr hrs day days night nights week weeks wk wks fortnight "
    "fortnights month months mo mos quarter quarters year years yr yrs"
)
"""What a number before it counts, of time."""
LONG_UNITS: Final = SPAN_UNITS - _set("minute minutes min mins hour hours hr hrs")
CONDITIONS: Final = frozenset(
    [
        "depending on",
        "subject to",
        "provided that",
        "providing that",
        "assuming that",
        "assuming it",
        "assuming we",
        "contingent on",
        "pending approval",
        "pending confirmation",
        "in case",
        "as long",
        "so long",
        "for example",
        "for instance",
        "e g",
        "such as",
        "on vacation",
        "on holiday",
        "on leave",
        "on pto",
        "of office",
        "a holiday",
        "away until",
        "away from",
        "unavailable until",
    ]
)
"""Two words in a row that leave a date in their sentence in doubt."""
CONDITIONALLY: Final = _set("should had were")
"""At the beginning of a sentence, before its subject: should it arrive by May 15."""
PERSONS: Final = _set("i he she it we you they")
DOCUMENTS: Final = _set(
    "letter email e-mail mail message invoice memo minutes note notes statement post article ruling "
    "transcript recording photo photos"
)
"""What may bear a date: the May 15 letter."""
OF_A_DEADLINE: Final = _set("deadline date cutoff target expiry due end day close")
"""What is "of May 15" and still due then."""
VAGUE: Final = _set(
    "maybe perhaps possibly probably presumably likely tentative tentatively provisional "
    "provisionally approx approximately roughly circa ca estimated unsure uncertain unconfirmed tbc "
    "tbd might could earliest soonest guess suppose supposedly allegedly hopefully if whether "
    "sometime rumoured rumored unless either hoping ideally aim aiming"
)
BYGONE: Final = _set(
    "was were missed had did expired elapsed lapsed passed forgot ago originally formerly previously"
)
ONCE: Final = _set("original old previous former used earlier")
"""The same, shortly before a date."""
WITHDRAWN: Final = _set(
    "cancelled canceled void obsolete wrong dropped withdrawn moved postponed pushed delayed rescheduled "
    "deferred changed extended instead minus earlier sooner latter busy closed excluded too less avoided"
)
"""Shortly after a date: it may not hold any more."""
RECURRING: Final = _set(
    "yearly annually annual weekly monthly daily quarterly biweekly fortnightly recurring recurs "
    "repeating repeats biannually semiannually once twice mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays"
)
ABOUT: Final = _set("c ca est eta etd abt approx say")
"""Short for about, right before a date."""
EVERY: Final = _set("every each per any")
RECURS_WITH: Final = PERIODS | _set(
    "day month years months weeks days other second third fourth spring summer fall autumn winter"
)
TENS: Final = _set(
    "twenty thirty forty fifty thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
TIME_WORDS: Final = (
    _set(
        "half quarter noon midnight midday noonish lunch dinner breakfast brunch tea first last sharp uhr "
        "heures heure oclock o'clock am pm a.m p.m dawn dusk sunrise sunset cob eob eod bod close closing "
        "opening start beginning morning mornings afternoon evening night early late tonight morgens "
        "overnight daybreak nightfall twilight sundown sunup teatime "
        "mittag mittags vormittag vormittags nachmittag nachmittags abend abends nacht nachts mitternacht "
        "halb viertel dreiviertel midi minuit matin soir heure mediodía mediodia medianoche mañana tarde "
        "noche manhã noite mezzogiorno mezzanotte mattina pomeriggio sera ore uur ochtend avond middag kl "
        "klo godz rano wieczorem früh hours hrs hour hr h past business end ish"
    )
    | TENS
    | (frozenset(SMALL_NUMBERS) - {"a", "an"})
    | frozenset(f"{word}ish" for word in SMALL_NUMBERS)
)
"""Of a time of the day that isn't exact, or isn't understood."""
TO_TIME: Final = _set(
    "at by in around about before after approx circa the from um kl à a las om klokken gegen alle"
)
"""What may stand between a date and its time."""
JOINING: Final = _set(
    "and or resp plus to through thru until till then und oder et ou y o e og och en latest bis"
)
LATER: Final = _set(
    "later after beyond onward onwards earlier before following next sooner thereafter prior"
)
"""After a date and "and": it is only where something begins or ends."""
NUMBERED: Final = _set(
    "chapter part version room page step phase section item issue ticket number no nr level week day "
    "question exercise problem milestone sprint flight gate line route bus train"
)
"""What a number names, so that it is no time of the day."""
FOLLOWING: Final = _set(
    "and to for with please because since so but then when which that who as unless via per is are "
    "will should must shall can has have needs need deadline meeting call talk review demo standup "
    "interview appointment session workshop conference presentation lecture exam webinar party dinner "
    "lunch sync or of via using without about regarding concerning during before after at on in the a "
    "an by his her our my your their its"
)
"""What may follow a time without saying more of it."""
OF_OTHERS: Final = _set(
    "their his her its our your my server site office local host client customer user house company"
)
OFTEN_BEFORE_TIME: Final = _set(
    "the a an this that of on in at first last next some more full same real any each every good take "
    "find make have no enough spare free much what by for response running"
)
SHORT_ENGLISH: Final = _set(
    "a i am an as at be by do go he if in is it me my no of on or so to up us we all and any are ask "
    "but can car day did due end exam fee fix for gas get had has her him his how its job law let may "
    "new not now off old one our out own pay pet put rent run say see set she sit tax the tie too try "
    "two use van visa via was way who why win yes yet you act add age air aid app art bag bar bed bet "
    "bid big bit box boy bus buy cat cup cut dad dog dry eat egg err eye fan far few fit fly fun gap "
    "gig gym hat hit hot ice ill ink jam key kid kit lab leg lie log lot low man map mat men mix mom "
    "mum net nut oil pan pen pie pin pop pot raw red rid row rub sad sea sew sky spa sum sun tea ten "
    "tip toy trip via vet vow war web wet zoo pr ad ci cv id ok pc qa tv ux ui hr"
)
MIDDLING_ENGLISH: Final = _set(
    "after again ahead along also apply april arms audit away baby back bank beach beer begin bike "
    "bill birth board boat bonus book books boss brief bring budget build bugs call calls camp card "
    "cards case cash check chess choir city class clean clear close club code coach come cook copy "
    "court cover data date dates debt deal deck demo desk diet dine done door draft dress drive drop "
    "duty each eggs email essay event exam exams fair fast feed fees fest file files film final fine "
    "fire first fish flat fees food form forms free from full game games gift gifts give goal goals "
    "golf gown grant group guest gym half hand hard have head help here hike hire home hotel house "
    "idea install invoice issue item items jury keep keys kick lab land lease left lens less letter "
    "lines link list lists live loan logs long look loop lunch mail main make march mass match math "
    "meal medal media meet memo menu mile more most move movie much music must name need news next "
    "night note notes offer only open opera order over pack page paint panel paper parcel park part "
    "party pass past patch pay photo piano pick piece pilot pitch plan plane plans plant play plus "
    "poem point pool post power press price print prize proof quiz quote race rate read ready renew "
    "rent reply repo rest ride ring road room rooms round runs safe sale sales save scan scope score "
    "seat seats send ship shirt shoes shop shot show sign site skill slide slot soon speak sport spot "
    "staff stage stand start stay step stock stop store study suit surf swim sync table take talk "
    "talks tape task tasks taxes team tell tent term test tests text than that them then there these "
    "they thing this those till time tire title today toner tool tour town track trade train tree "
    "trial trip truck tune turn under unit until upon visa visit voice vote wait walk want wash watch "
    "water week well wheel when will wine wire with wood word words work world write yard year yoga "
    "your zone deadline due ends falls comes goes lands flies meets works holds opens"
)
"""Common words of four and five letters. A short unknown word beside a date may be of another language."""
FOREIGN: Final = _set(
    # German
    "ab nach seit vom zum zur und oder bis am im den dem der das ist nicht kein keine für vor ohne "
    "mit zwischen spätestens frühestens gegen über um wird muss fällig geboren jeden jedes wegen noch "
    "erst nur "
    # Dutch
    "vanaf tussen tot voor op het een niet geen sinds na en uiterlijk elke "
    # French
    "le la les du des et ou à au après avant depuis jusqu dès entre pas sauf chaque vers fin "
    # Spanish, Portuguese, Italian
    "y e o el los las del desde hasta después antes entre para cada dal dopo prima entro fino dopo il "
    "lo gli até depois antes desde em ao não menos excepto "
    # Danish, Norwegian, Swedish
    "og och eller fra från til till efter etter før før före senest inden mellem mellom mellan ikke inte "
    "hver varje siden sedan "
    # Turkish, Finnish, Estonian, Hungarian
    "sonra önce itibaren tarihinden kadar jälkeen alkaen pärast alates után előtt ingang "
    # Polish, Czech, Russian
    "od do po przed między nie i oraz za mezi před až после до с по и не перед между"
) - _set("do no i a an in on at o till men fin lo an me")
"""Little words of other languages, which may turn a date's meaning, save those that are English too."""
SPANNING: Final = _set("bis to until till through thru à au a al ao até do tot до по –")
"""Between two days of a span."""
ON_THE_DAY: Final = _set("am den le el il op")
"""Of other languages, for "on"."""
FOREIGN_UNTIL: Final = _set(
    "bis am den le el op til senest entro hasta até uiterlijk spätestens zum"
)
"""Those of them that leave a numeric date a deadline."""
