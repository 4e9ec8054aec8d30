"""Everyday words for the same thing: each line is a word and what may stand for it.

Unlike a group of synonyms.py, the words behind a colon stand for the first word only and not for
each other: "shorten" and "suppress" are both "reduce" and not the same. So a line may be broad.
What is measured, counted or named in code is left out on purpose: "power" is not "energy".
"""

from __future__ import annotations

THESAURUS = """
    ability: capacity competence
    abrupt: sharp sudden
    absent: absence
    achieve: accomplish attain
    action: act
    adapt: customise fit tailor
    advance: proceed progress
    advise: advice
    again: repeatedly reuse
    ahead: before beforehand
    alarm: alert warning
    allow: accept authorise permission tolerate
    alternative: another other
    answer: reply
    anyone: anybody someone
    application: app apply
    area: field range space surface territory
    artificial: fake synthetic
    assume: presume presuppose
    automatic: automate
    avoid: bypass circumvent escape
    bad: awkward inconvenient unfavourable wrong
    behind: back lag trailing
    believe: belief
    bend: corner curve
    beneath: below
    bother: affect trouble
    break: breach
    bring: carry take
    build: make put
    capable: able
    cause: evoke induce prompt provoke reason stimulate
    caution: careful carefully
    cautious: careful conservative
    central: centre core
    certainty: certain
    change: mutate shift
    cheap: affordable budget
    check: audit review verification
    choose: decision elect
    circumvent: bypass
    clear: evident explicit obvious plain
    close: approximate nearby similar tight
    collect: accumulate acquire aggregate compile harvest
    combine: aggregate
    come: derive originate stem
    communicate: exchange interact message
    comparison: compare
    completely: absolutely perfectly thoroughly wholly
    complex: complicated intricate
    comprise: contain include
    compensate: correct
    compute: arithmetic math
    computer: laptop machine pc
    connect: associate bridge plug relate
    consist: compose contain
    consumption: consume usage
    continue: carry proceed resume
    control: regulate regulation steer
    cool: chill
    cooperate: collaborate
    copy: clone mirror replicate
    cost: expense expensive pay spend
    cover: hide mask protect shell wrap
    crash: collide smash
    create: creation invent
    customise: configure
    damage: break corrupt destroy
    day: daily
    decrease: decline drop
    defer: delay postpone
    definition: define
    demonstration: show
    deploy: ship
    depth: deep
    describe: detail document explain specify characterise portray
    design: create develop plan
    detect: notice perceive sense
    developer: engineer programmer
    deviation: difference error
    differ: deviate disagree diverge
    difficulty: challenge hard struggle
    dirty: dirt
    discard: delete dispose dump reject throw
    display: exhibit visualise
    dissimilar: different
    distance: afar apart away far gap separation
    distinguish: differentiate discern identify
    disturb: bother disrupt interfere upset
    diverse: different varied
    drain: consume deplete exhaust
    draw: plot render sketch visualise
    drift: deviate shift stray wander
    dual: double
    ease: alleviate
    easily: readily effortlessly
    easy: ease effortless
    eat: consume
    edge: margin rim
    efficient: economical effective productive
    eliminate: disappear
    empty: blank hollow vacant void
    encounter: meet face
    end: conclude expire
    enough: ample
    enumerate: count
    equivalent: correspond equal same
    estimate: determine guess
    evaluate: assess
    examine: analyse investigate
    exceed: above beyond overflow
    exhaust: deplete
    exhaustive: complete
    expect: anticipate await hope
    expensive: costly
    explanation: explain
    extend: extension lengthen spread
    extent: degree
    extract: get pull
    fail: crash
    fall: decrease drop topple trip tumble
    false: bogus
    fault: defect failure
    feature: characteristic
    find: lookup seek
    finish: done
    finished: done final ready
    fitted: equipped
    fixed: immutable permanent set
    flaw: defect error weakness
    flexible: bendable elastic
    fog: foggy mist
    follow: chase comply consequence respect result succeed trace
    force: compel oblige
    form: constitute
    fragile: breakable brittle delicate weak
    full: filled saturate
    function: routine subroutine
    fusion: combine fuse
    gather: accumulate
    general: generic universal
    genuine: authentic
    good: desirable excellent useful
    group: batch bundle category class cluster crowd family pool team
    grow: accumulate enlarge scale
    guarantee: certain sure
    handle: grip
    hard: demanding
    have: contain equip equipped possess
    heading: direction
    hear: perceive
    heat: burn warm
    heavy: weigh weight
    help: advantage benefit facilitate
    hidden: implicit invisible
    hide: obscure
    high: height
    hinder: hamper
    hit: bump knock press
    hold: capacity clamp clutch grasp grip
    huge: big massive
    illuminate: light
    image: frame
    imitate: emulate pretend simulate
    improve: better
    impact: blow hit shock strike
    imply: entail
    include: embed incorporate
    inconvenient: awkward
    increase: amplify enlarge grow inflate intensify
    indefinitely: forever
    independent: alone autonomous
    independently: autonomously
    indispensable: essential necessary
    inexpensive: cheap
    infer: conclude deduce derive estimate
    injure: harm hurt
    insert: embed inject
    inside: embedded interior within
    inspect: look
    install: mount place set
    instantaneous: immediate
    integrate: combine include merge
    intended: desired
    interfere: disrupt perturb
    intersect: cross
    interval: gap
    invalid: illegal
    isolated: alone
    itself: autonomous autonomously
    jerky: jerk
    judge: assess evaluate
    keep: hold leave
    label: mark tag
    lack: absence deficiency shortage without
    land: arrive
    large: bulky
    last: duration endure life span
    late: delayed overdue
    leak: escape
    leap: jump
    learn: discover lesson
    leave: abandon depart departure desert quit
    legal: allowed
    life: lifespan lifetime live
    lift: hoist
    lightweight: light
    limb: arm leg
    limit: only
    limit: confine constrain constraint
    link: associate association relate relation
    list: catalogue
    little: insufficient
    load: read burden payload weight workload
    long: duration length
    look: glance
    loop: cycle
    loose: free slack
    lose: forget
    main: central key leading major
    major: big
    make: craft manufacture
    manage: able administer
    match: align correspond correspondence equal fit
    mean: average define entail
    meet: fulfil join satisfy
    mention: cite refer
    measure: determine
    method: algorithm recipe scheme
    middle: halfway central centre medium
    mild: gentle
    mismatch: discrepancy
    mitigate: lessen
    momentary: brief
    move: mobility slide
    name: identify label mention term title
    need: cost
    near: approach approximate close nearby vicinity
    new: modern novel
    newer: later
    night: dark
    noisy: noise
    note: notice
    now: nowadays today
    number: amount count digit numeric quantity
    obey: comply respect
    obvious: evident
    occupy: use need fill
    odds: chance
    oppose: against
    opposite: contrary
    order: arrange rank sort
    organise: coordinate
    orientation: angle direction heading
    output: emit
    outside: exterior
    overheat: hot
    overlook: miss
    oversee: monitor
    overwhelm: overload
    own: independent individual personal private
    package: bundle
    parallel: concurrent simultaneous
    part: chunk fraction fragment include segment slice
    partial: incomplete
    participate: join
    patch: fix
    pay: afford
    perception: perceive
    perform: conduct
    peril: danger
    permanent: lasting
    permit: authorise permission
    perpetual: constant
    persistent: durable
    pick: select
    picture: frame snapshot
    piece: chunk slice
    placement: place position
    plus: add
    point: moment
    potential: possible
    pour: flow
    practical: feasible useful
    practise: exercise
    predict: foresee prophesy
    premise: assumption
    present: presence
    press: click
    prevent: block hinder inhibit
    price: cost
    primary: first
    print: show write
    procedure: method process recipe routine
    processor: cpu
    produce: manufacture output production
    profit: benefit
    program: app application executable script
    prohibit: ban forbid
    prolong: lengthen
    proof: evidence
    property: characteristic quality trait
    protect: defend secure shelter
    prove: confirm demonstrate
    provide: furnish provision
    pure: clean
    put: lay
    quality: attribute
    quantity: number
    question: ask
    quick: instant prompt
    quickly: promptly
    quote: cite
    rainy: rain
    raise: elevate lift
    rapidly: fast quickly
    rate: pace score speed
    ratio: proportion
    reach: access accessible achieve range
    reachable: available
    react: reaction reactive
    read: access retrieve
    real: actual genuine
    reality: actual real truth
    rear: back
    reason: motive purpose why
    rebuild: build
    recently: lately
    recharge: charge
    recognition: recognise
    record: capture document film note register save store
    reduce: alleviate attenuate dampen diminish mitigate shorten shrink suppress weaken
    refill: fill replenish
    reflect: mirror
    refuse: deny
    relationship: relation
    release: deploy unlock
    remain: persist
    remote: away distant
    remove: detach disappear extract vanish withdraw
    renew: refresh
    repeat: echo rerun retry
    repeatedly: often again
    replicate: duplicate
    repository: repo
    require: prerequisite
    respond: reply
    response: answer feedback
    rest: lie settle sit
    restart: reboot resume
    restrict: confine constrain
    restriction: constraint
    result: finding output product solution
    retain: remember
    return: recover restore
    reverse: backward flip inverse invert opposite undo
    right: appropriate
    risk: endanger
    rival: compete
    road: path
    robust: durable resilient sturdy tough
    rotate: revolve
    rough: approximate
    roughly: nearly
    ruin: destroy spoil
    same: alike
    sample: example instance specimen
    satisfy: fulfil
    save: economise
    say: claim declare
    scarce: few
    scheme: plan
    scientist: researcher
    scope: range
    search: find hunt lookup query
    see: regard watch
    segment: divide
    send: dispatch forward post relay route transmission
    separate: detach individual
    series: row
    setup: configuration
    shake: tremble wobble
    share: divide fraction overlap percentage proportion common
    short: concise
    shorten: abbreviate cut shrink trim truncate
    show: depict exhibit indicate prove reflect sign visualise
    side: aspect edge end
    sign: clue cue symptom
    signal: cue indicate
    signify: mean
    silence: quiet silent
    silently: quietly
    simpler: easier
    simplify: easier simple
    simulate: emulate
    situated: located
    size: large magnitude scale
    slip: skid slide
    slope: incline steep
    slow: gradual slowdown
    slowly: gradually
    small: compact little miniature tiny
    soft: compliant flexible gentle smooth
    soften: melt
    solitary: single
    solution: answer
    solve: answer solution tackle
    soon: early quickly
    source: origin
    space: gap room volume
    spare: backup redundant
    special: custom dedicated particular specific
    specialist: expert
    species: kind
    specific: particular
    specify: specification
    speech: speak voice
    speed: pace tempo fast
    spot: location
    squash: crush
    squeeze: compress crush press
    stabilise: balance
    stable: balance steady
    standard: conventional default norm
    start: onset
    state: assert declare
    steadily: constantly
    stem: originate
    step: iteration
    still: standstill stationary
    stop: block freeze prevent standstill
    store: cache memorise
    straight: direct directly
    strategy: approach plan tactic
    stream: flow
    strengthen: amplify reinforce
    strict: exact
    strong: powerful strength
    study: analyse examine investigate learn
    successor: next
    suddenly: abruptly
    suffer: problem
    sufficiently: enough
    sum: add total
    summary: outline short summarise
    supervise: monitor oversee supervision
    supply: feed
    support: carry
    sure: confidence confident
    surely: certainly
    surpass: above
    surround: enclose
    survive: intact persist unharmed
    swing: sway
    switch: change swap toggle turn
    synchronise: sync
    take: spend
    talent: skill
    talk: converse
    tall: height high
    task: work
    teach: educate instruct
    tell: advise announce communicate distinguish explain inform instruct notify reveal show
    template: pattern
    term: call
    test: experiment probe try
    thin: slim
    think: believe consider
    thought: idea
    threaten: endanger
    throughput: rate
    tie: bind
    tilt: incline lean
    time: duration era interval occasion period punctual
    together: collective combined joint jointly
    toggle: flip
    tolerate: accept
    topple: overturn tip
    touch: tap
    track: lane monitor path trace trail
    trade: exchange swap
    traditional: classical conventional
    train: coach practise
    transient: temporary
    transmit: transmission
    travel: journey
    treat: handle treatment
    trial: experiment run
    trigger: prompt spark start
    true: actual genuine truth
    turn: twist
    tweak: adjust
    two: dual pair twin
    type: class
    uncertain: doubt uncertainty unsure
    unchangeable: immutable
    understand: grasp know
    undo: revert rollback
    uneven: irregular rough
    union: join
    unrestricted: free
    unsuitable: impractical
    unwanted: undesired
    update: patch upgrade
    upright: erect stand standing
    url: address
    user: person
    usual: conventional customary norm routine standard
    vague: unclear
    valid: legal legitimate
    vanish: gone
    variation: variant
    variety: assortment range
    verify: verification
    version: edition kind variant
    viable: feasible
    view: consider
    violate: breach break
    visible: see seen
    vital: essential necessary
    voluntary: optional
    wait: await idle
    wanted: intended target
    waste: lose squander
    way: direction path route
    weaken: attenuate soften
    wear: abrade abrasion erode
    weigh: mass
    whole: fully
    width: wide
    wire: cable
    wireless: radio
    without: absence missing
    work: cooperate effort labour
    wrap: envelop
    writer: author
    writing: text
    wrong: erroneous mistaken
    year: annual
""".strip().splitlines()
