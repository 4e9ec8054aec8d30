"""The word lists of the gate: which words may stand for each other, and which never."""

from __future__ import annotations

from bythebook.terms import stem

# Only words that may take each other's place in nearly every technical sentence.
SYNONYMS = """
    show display see view present
    show illustrate demonstrate
    hold store keep contain save
    keep stay remain continue retain maintain preserve
    need require take ask demand want
    ask request
    send transmit
    resend retransmit
    get receive obtain acquire
    convert turn transform translate change
    become turn
    begin start launch
    start boot
    end finish terminate complete
    stop halt cease
    compute calculate determine
    find determine
    estimate approximate
    change vary alter modify edit adjust
    create generate produce build construct make form
    gather collect
    find discover locate detect
    detect recognise identify spot
    rely depend
    allow let permit enable
    tell say state indicate specify report
    describe define
    use employ utilise utilize apply
    fast quick rapid
    wanted desired
    main primary principal chief
    happen occur
    accumulate addup
    vanish disappear
    fix correct repair
    help aid assist support
    choose select pick
    connect link join attach
    divide split separate
    combine merge join unite
    part component piece portion
    task job
    error fault mistake
    way method approach technique manner
    picture image photo
    people person human
    trajectory path route
    goal target destination
    goal aim purpose
    rate frequency
    rotation orientation
    weigh weight mass
    run execute operate perform
    respond react
    reply answer
    drop discard
    delete remove erase
    load import
    advance moveforward
    often frequently
    usually typically normally generally
    roughly about approximately around
    sometimes occasionally
    slightly somewhat
    completely fully entirely totally
    identical same equal
    next following subsequent
    wrong incorrect false
    various different
    enough sufficient adequate
    necessary needed required essential
    important key crucial
    again anew
    try attempt
    check verify test validate
    watch observe monitor
    explain clarify
    repeat redo
    reach attain arrive
    cause lead bring result
    avoid prevent
    also additionally too
    many numerous
    whole entire complete full
    edge border boundary
    copy duplicate
    speed velocity
    guide steer direct
    lose miss
    cover include comprise contain span
    consist comprise
    supply provide give offer deliver yield
    print output
    write record log
    learn train
    teach train
    hide conceal mask
    damage harm hurt
    exceed surpass
    limit restrict cap bound
    override overrule
    shutdown poweroff
    resemble similar alike
    command instruction order
    handle manage process
    treat regard consider
    put place set
    go move travel
    move shift
    call invoke
    call name
    represent express encode
    inform notify
    share distribute
    surroundings environment
    location place position
    gap difference
    object item thing
    measure quantify gauge
    leave exit
    refuse reject decline
    wait pause
    fall collapse
    hit strike collide
    collision impact
    step stage phase
    data information
    result outcome
    feature property attribute
    amount quantity
    issue problem
    fill occupy
    serve feed
    insert place
    hear listen
    programme program software
    folder directory
    line row
    initial first
    final last
    entire overall
    only solely alone exclusively
    almost nearly
    together jointly
    separately independently
    easily readily
    precisely exactly
    near around beside
    follow track pursue
    single one sole 1
    improve increase raise boost enhance
    worsen degrade
    match compare
    separately own
    search look seek
    spread distribute scatter
    contact touch
    absorb dampen
    behave act work
    exact precise accurate
    ready prepared
    shape form
    wide broad
    sort kind type
    big large
    drive propel
    hang suspend
    assemble build
    refine improve
    reset restart
    understand comprehend
    lower reduce decrease
""".strip().splitlines()

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
    inside | outside
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
    allow/permit | forbid/prohibit/prevent
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
    achieve achieves
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
    went/go gone/go lay/lie sat/sit stood/stand
    """.split()
)

# Words of grammar that terms.py does not count among its stop words.
FUNCTION_WORDS = frozenset(
    """
    atleast atmost overnumber undernumber instead since although though unless whenever always
    never sometimes often usually typically normally generally likely probably possibly perhaps
    several others none nothing neither whereas therefore hence exactly solely alone less fewer
    across throughout among toward towards along besides per via
    rarely seldom frequently occasionally mostly roughly about approximately around nearly almost
    """.split()
)
