# shellcheck shell=sh
# What tests of the programs' command lines read in (`. ../testing/expect.sh`): how often `expect` ran, and how often it failed.
failures=0
runs=0

# expect STATUS PATTERN COMMAND...: the exit status, and a pattern that output or messages must contain.
expect() {
    status=$1 pattern=$2
    shift 2
    output=$("$@" 2>&1)
    found=$?
    runs=$((runs + 1))
    if [ "$found" -ne "$status" ] || ! printf '%s\n' "$output" | grep -Eq -- "$pattern"; then
        printf '%s: exit status %s (expected %s), expected /%s/ in:\n%s\n' "$*" "$found" "$status" "$pattern" "$output"
        failures=$((failures + 1))
    fi
}
