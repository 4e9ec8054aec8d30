"""Which words may stand for each other in technical prose: each line is a group.

A word may be in several groups, and groups are not joined: "store" may be "keep" and "keep" may be
"remain", and "store" is not "remain". The first group of a word gives its token.
"""

from __future__ import annotations

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
    swap exchange replace substitute
    same common share
    choose select pick choice option opt decide
    option alternative
    prefer preferred preferable recommended advisable best
    depend rely need require
    rest others remainder
    carry bring transport convey
    beat outperform exceed
    arrive come reach end
    communicate talk speak communication
    set define determine specify configure
    mend remedy cure fix
    announce advertise declare
    purpose intention intend
    cope handle manage deal tolerate
    tolerate withstand survive endure
    begin commence
    own possess belong
    suit fit appropriate suitable
    right correct proper suitable
    short brief
    drawback disadvantage downside weakness shortcoming cost price
    benefit advantage strength gain upside
    trouble problem difficulty
    happen arise appear emerge
    shake vibrate oscillate
    stretch extend expand enlarge widen
    blend mix merge fuse combine
    mixture mix combination combine
    predict forecast anticipate
    freeze stall
    additional extra further another added
    attach mount fasten fix
    list enumerate name
    round approximate
    cycle round iteration
    interval duration period
    last take
    delay latency lag postpone
    send deliver pass transfer
    receive accept
    return give yield
    inspect examine check look
    diagnose debug troubleshoot find
    compare contrast
    fight conflict compete clash
    contradict conflict disagree
    agree match negotiate
    claim reserve
    forget discard
    ignore disregard overlook neglect
    omit skip exclude leave
    forbid ban disallow
    contained confined
    isolate separate
    distinct separate different another
    independent separate
    regular periodic
    regularly periodically
    steady constant fixed
    perfect flawless ideal
    imperfect flawed
    imitate mimic reproduce copy
    learn acquire pick
    ability capability skill
    instant immediate
    instantly immediately once
    immediately directly
    area region zone
    range span interval
    threshold limit cutoff
    size dimension
    structure layout arrangement
    arrange organise
    sequence series order chain
    warn alert caution
    danger risk hazard
    probability chance likelihood
    random arbitrary
    vary differ change
    variation variety
    category class kind
    group set collection
    pair couple combine
    single individual
    usual typical common ordinary normal
    usual usually
    ordinary regular plain standard
    basic fundamental simple
    minimal smallest
    motion movement move
    turn rotate spin
    grasp grab grip seize
    shut close
    adjacent neighbouring next
    compile build
    base build rest rely
    setting option configuration
    reading measurement
    sample reading
    instance example case
    situation case circumstance condition
    state status condition
    role function job
    manage control govern
    rule law principle
    idea concept notion
    perceive sense feel see notice
    aware know
    interpret read
    fetch retrieve get obtain
    recover restore
    clear erase empty
    unavailable missing absent
    lack miss
    available present accessible
    useful helpful beneficial valuable
    help useful
    important significant vital matter
    severe serious
    flexible adaptable versatile
    adapt adjust tune
    optimise improve tune
    degrade deteriorate
    persist last continue
    maintain sustain
    guarantee promise assure ensure
    protect guard shield
    solve resolve fix
    effect impact influence consequence
    affect influence impact
    crash fail failure break
    interrupt stop break
    cancel abort
    traverse cross pass
    evade dodge avoid
    eliminate remove
    trim cut clip
    request query ask
    possible feasible
    doubtful questionable dubious
    trustworthy reliable dependable
    trust rely
    attempt trial try
    reveal show expose
    introduce present
    append add insert
    involve need
    cause make
    enormous huge large
    slight small
    barely hardly scarcely
    particularly especially
    mainly mostly primarily chiefly largely
    partly partially
    wholly fully
    afterwards later after then subsequently
    previous earlier prior former
    now currently presently
    current present
    outdated old stale
    fresh new
    newest latest new
    original first
    simultaneously concurrently
    participant member
    student pupil
    maker manufacturer vendor
    version release
    spare save
    avoid save
    annotate label
    hinder impede obstruct block
    ease simplify facilitate
    compensate offset counter
    exact exactly precisely
    explore discover
    work operate function
    work suit
    touch affect disturb
    decide settle determine
    forward relay pass
    hold occupy
    contact collision touch
    upwards up
    downwards down
    tell show
    report show
    mean imply signify
    mean stand
    slow sluggish
    enough suffice sufficient
    expect assume
    write draft compose
    easy easily
    hard difficult
    know known
    keep let
    arise come
    grow expand
    give assign
    assign allocate
    occupy consume
    consume use
    spend use
    emit send
    rest remain
    remain left
    surroundings around
    unknown unclear
    unprepared unready
    fill complete
    overlap coincide
    hardware device
    separate apart
    reside live sit lie
    belong owned
    know knowledge aware familiar
    retain keep store
    hinge depend tied
    cause trigger produce yield
    necessitate need require
    handy useful helpful
    enhance improve
    lessen reduce minimise cut
    climb rise increase
    leverage exploit use employ
    feature include have
    characterise describe
    express state give
    derive compute determine
    initiate start begin
    terminate stop end quit
    publish send broadcast
    record measure read
    confirm check verify
    malfunction fail
    partition split divide
    couple connect link
    develop create build
    address handle tackle
    wish want desire
    seek try aim
    suppose assume expect
    denote mean represent
    dub call label
    located placed sit stand
    fine good well
    ideal best optimal perfect
    poor bad weak
    straightforward simple easy
    tricky hard difficult challenging tough
    speedy fast
    minor small slight
    critical important crucial essential
    frequent common often
    widespread popular common
    multiple several many
    varied various different
    lone single
    overall total whole
    unchanging constant fixed
    harmless safe secure
    risky unsafe dangerous hazardous
    valid correct right
    faulty wrong invalid
    past previous old
    coming next following
    existing current present
    second another additional
    bug error fault
    convention rule guideline
    discrepancy difference gap
    moment instant time
    section part
    objective goal aim target
    consequence result effect
    site place location
    gradually incrementally
    likewise similarly also
    merely just only simply
    continuous continuously ongoing
    continuous constant
    reliably dependably
    deliberate intentional
    deliberately intentionally
    roughly loosely
    quantify measure
    observe see
    observe measurement
    shaped formed
    spot notice see
    halve half
    pull draw
    tug pull
    press push
    react respond answer
    obstruct hinder
    stall stop
    stiff rigid
    supply power
    suffer undergo
    undergo experience
    gain get
    grant give allow
    permit allow
    rather instead
    suggest propose recommend
    suggest hint
    hint sign
    sign indication
    remember store
    recall remember
    refresh update
    renew update
    revise update change
    supersede replace
    inherit receive
    spawn start create
    belong part
    consist made
    built based
    absent missing
    surplus excess
    excess too
    vast large
    broad wide
    narrow tight
    precise fine
    precision accuracy
    accuracy accurate
    precision precise
    stability stable
    reliability reliable
    safety safe
    flexibility flexible
    similarity similar
    difficulty difficult
    ability able
    necessity necessary
    possibility possible
    importance important
    usage use
    removal remove
    arrival arrive
    approval approve
    refusal refuse
    delivery deliver
    discovery discover
    recovery recover
    failure fail
    loss lose
    choice choose
    decision decide
    conversion convert
    collision collide
    division divide
    description describe
    reception receive
    assumption assume
    analysis analyse
    movement move
    behaviour behave
    response respond
    sensitive depend
    use rely employ
    prefer favour
    send issue
    stop pause suspend
    check compare
    remove strip
    predict expect
    motion moves
    tell say
    follow obey
    tied bound linked depend
    growth grow
""".strip().splitlines()
