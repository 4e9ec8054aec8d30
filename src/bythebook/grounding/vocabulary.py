"""The word lists of the gate: opposites, words that say little, irregular forms."""

from __future__ import annotations

from bythebook.terms import stem

# Each line is a pair of opposites: what stands left is the positive end, right the negative.
OPPOSITES = """
    fast/quick/rapid/swift | slow
    slowly | quickly/rapidly/swiftly
    increase/raise/grow/rise/widen | decrease/reduce/lower/shrink/fall/drop/diminish/narrow
    accelerate | decelerate
    large/big/great | small/little/tiny
    high | low
    long | short
    heavy | light
    hot/warm | cold/cool
    cost/expensive/costly | cheap/inexpensive/affordable
    old | new/recent/young
    strong | weak
    simple | complex/complicated
    easy/easily | hard/difficult
    loud/noisy | quiet/silent
    scarce/rare | plentiful/common/abundant
    near/close/closer | far/farther/further/distant
    early | late
    first | last
    good/better/best | bad/worse/worst
    max/maximum | min/minimum
    double/twice | half/halve
    inside/within | outside/beyond
    above | below/beneath
    ahead/front | behind
    before | after
    forward | inverse/backward
    left | right
    upper | bottom
    enable/activate/activated | disable/deactivate
    open | close/closed/closes/closing
    start/begin | stop/halt/end
    input | output
    publisher | subscriber
    sender | receiver
    client | server
    static | dynamic
    synchronous | asynchronous
    soft | stiff/rigid
    true | false
    add | remove/delete
    connect | disconnect
    load | unload
    succeed/success | failure
    active | inactive/idle/passive
    serial | parallel
    online | offline
    positive | negative
    stable | unstable
    reliable | unreliable
    visible | invisible
    known | unknown
    real | simulated/virtual
    safe | unsafe/dangerous
    possible | impossible
    allow/permit/cause | forbid/prohibit/prevent
    accept | reject
    push | pull
    lock | unlock
    encode | decode
    gain | loss
    thin | thick
    wide | narrow
    deep | shallow
    local | remote/global
    public | private
    required/mandatory | optional
    more | less/fewer
    most | least
    internal | external
    horizontal | vertical
    absolute | relative
    indoors/indoor | outdoors/outdoor
""".strip().splitlines()

# Words that a rewording may bring in: they carry grammar or emphasis, and nothing to get wrong.
LIGHT = frozenset(
    stem(word)
    for word in """
    able additionally basically become becomes certain come comes command component essentially
    example furthermore get gets help helps instance instead involve involves kind known let lets
    mean means moreover namely number occur order overall particular particularly piece process
    provide provides put rather refer refers related relevant respectively sort specific
    specifically task term thereby therefore thing things thus together type typically way well
    called calls cause case cases resulting result results act acts serve serves word words go
    goes going purpose allow allows order sit sits lie lies stand stands located
    achieve achieves option choice fact aspect practice turn bit effectively fundamentally actual
    actually simply really naturally course say note thanks respective general various people
    someone anyone everyone whoever alike correspondingly accordingly
    work works working happen happens count counts take takes taken data away back current fit
    tied concern concerns face exist exists apply applies approach method technique mechanism
    concept idea feature setup scenario context basis means manner fashion matter produce produces
    ones handle handles deal bring brings brought simple simply overall indeed fact main
    situation circumstance role job operation activity question detail point whole form sense
    place places moment keep keeps kept set sets perform performs performed carry carries follow
    follows based effect outcome purpose aim goal intended intend designed design meant
    """.split()
)

# The stemmer knows endings only.
IRREGULAR = dict(
    pair.split("/")
    for pair in """
    sent/send found/find held/hold kept/keep saw/see seen/see ran/run wrote/write written/write
    began/begin begun/begin took/take taken/take built/build lost/lose fell/fall fallen/fall
    rose/rise risen/rise grew/grow grown/grow drove/drive driven/drive told/tell said/say
    taught/teach learnt/learn led/lead met/meet chose/choose chosen/choose broke/break
    broken/break drawn/draw thrown/throw shown/show worn/wear heard/hear felt/feel came/come
    overridden/override overrode/override fed/feed brought/bring bought/buy sold/sell paid/pay
    spun/spin held/hold understood/understand meant/mean shrunk/shrink shrank/shrink
    growth/grow knowledge/know rebuilt/rebuild resent/resend proof/prove
    went/go gone/go lay/lie sat/sit stood/stand forgot/forget forgotten/forget froze/freeze
    frozen/freeze hid/hide hidden/hide bent/bend dealt/deal spoke/speak spoken/speak stuck/stick
    beaten/beat arose/arise arisen/arise became/become caught/catch fought/fight flew/fly
    flown/fly hung/hang slid/slide spent/spend swung/swing struck/strike shook/shake
    shaken/shake laid/lay dug/dig drew/draw threw/throw showed/show wore/wear
    """.split()
)

# Words of grammar that terms.py does not count among its stop words.
FUNCTION_WORDS = frozenset(
    """
    atleast atmost overnumber undernumber instead since although though unless whenever always
    never sometimes often usually typically normally generally likely probably possibly perhaps
    unlike whatever whichever wherever still otherwise ones eachother however
    several others none nothing neither whereas therefore hence exactly solely alone less fewer
    across throughout among toward towards along besides per via
    rarely seldom frequently occasionally mostly roughly about approximately around nearly almost
    """.split()
)
