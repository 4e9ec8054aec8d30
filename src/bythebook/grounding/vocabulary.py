"""The word lists of the gate: opposites, words that say little, irregular forms."""

from __future__ import annotations

from bythebook.terms import stem

# Each line is a pair of opposites: what stands left is the positive end, right the negative.
OPPOSITES = """
    fast/quick/rapid/swift/quickly/rapidly/swiftly/accelerate | slow/slowly/decelerate
    increase/raise/grow/rise/widen | decrease/reduce/lower/shrink/fall/drop/diminish/narrow
    large/big/great/high | small/little/tiny/low
    long/lengthen | short/shorten
    heavy | light
    hot/warm | cold/cool
    cost/expensive/costly | cheap/inexpensive/affordable
    old | new/recent/young
    same/identical | different
    strong/strengthen | weak/weaken
    simple | complex/complicated
    easy/easily | hard/difficult
    loud/noisy | quiet/silent
    scarce/rare | plentiful/common/abundant
    near/close/closer | far/farther/further/distant
    early/soon | late
    first | last
    good/better/best/well | bad/worse/worst/poorly/badly
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
    thin | thick/thicken
    wide | narrow
    deep/deepen | shallow
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
    contain contains obtain obtains reach reaches reached deliver delivers offer offers seem seems
    become find finds notice consist live lives reside involve represent refer indicate treat regard
    consider manage tackle meet execute run runs operate function behave yield create generate
    supply hold holds rely want end ends
    needed needing
    belong belongs stay stays remain remains gives giving gave
    something somebody anything everything time times plus another reason beginning
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
    children/child men/man women/woman feet/foot mice/mouse axes/axis indices/index
    matrices/matrix vertices/vertex criteria/criterion analyses/analysis freed/free
    misled/mislead
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
    non ought despite already
    atleast atmost overnumber undernumber instead since although though unless whenever always
    never sometimes often usually typically normally generally likely probably possibly perhaps
    unlike whatever whichever wherever still otherwise ones eachother however
    several others none nothing neither whereas therefore hence exactly solely alone less fewer
    across throughout among toward towards along besides per via
    rarely seldom frequently occasionally mostly roughly about approximately around nearly almost
    """.split()
)
