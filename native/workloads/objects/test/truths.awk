# What a known-answer program says of itself must add up.
function field(name, at) {
    for (at = 2; at <= NF; ++at)
        if (index($at, name "=") == 1)
            return substr($at, length(name) + 2)
    return ""
}
function wrong(what) {
    print "wrong: " what
    failed = 1
}
/^truth skipped=/ { skipped = 1 }
/^truth loops=(separable|mixed)$/ { loops++ }
/^truth object=/ {
    objects++
    time += field("time_share")
    reads = field("reads") + 0
    if (reads < 0 || reads > 1 || field("tid") + 0 <= 0 || field("at") !~ /^[a-z_]+\.(c|cpp|f90|py):[0-9]+$/)
        wrong($0)
}
/^truth touch / { touched[field("object") field("at")] += field("share") }
/^truth faults / {
    away = field("faults") - field("pages")
    if (counted == "counted" && (away < 0 ? -away : away) > 100 + field("pages") / 50)
        wrong($0)
}
/^truth covered=/ { covered = field("covered") + 0 }
END {
    if (skipped)
        exit 0
    if (loops != 1)
        wrong("expected one line of loops, found " loops)
    if (objects < 1 || time < 0.9999 || time > 1.0001)
        wrong("the shares of time are " time " together")
    for (object in touched)
        if (touched[object] < 0.9999 || touched[object] > 1.0001)
            wrong("the shares of the pages of " object " are " touched[object] " together")
    if (covered <= 0 || covered > 1.05)
        wrong("covered is " covered)
    exit failed
}
