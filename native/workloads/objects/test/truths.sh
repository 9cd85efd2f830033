#!/bin/sh
# Each program in all its modes for some milliseconds: what it says must add up, and the kernel must have counted the page faults that it
# says its threads took. Argument: the folder of the programs.
folder=$1
here=$(dirname "$0")
failures=0
runs=0
export OBJECTS_SECONDS=0.05

# holds FAULTS PROGRAM [MODE]: FAULTS is `counted` where the pages touched are the faults of the program but for some.
holds() {
    counted=$1
    shift
    runs=$((runs + 1))
    if ! output=$("$@" 2>&1); then
        printf '%s: failed: %s\n' "$*" "$output"
        failures=$((failures + 1))
    elif ! printf '%s\n' "$output" | awk -v "counted=$counted" -f "$here/truths.awk"; then
        printf 'that is what %s says:\n%s\n' "$*" "$output"
        failures=$((failures + 1))
    fi
}

# refused PROGRAM: without a mode it names them, with status 2.
refused() {
    runs=$((runs + 1))
    output=$("$folder/$1" 2>&1)
    status=$?
    if [ "$status" -ne 2 ] || ! printf '%s\n' "$output" | grep -q "^$1: expected"; then
        printf '%s: exit status %s: %s\n' "$1" "$status" "$output"
        failures=$((failures + 1))
    fi
}

for mode in sequential strided random chase branches calls copy writes set avx gather; do
    holds counted "$folder/patterns" "$mode"
done
for mode in random chase blocks four; do holds counted "$folder/mixed" "$mode"; done
for mode in one other halves thirty strewn loop read; do holds counted "$folder/touch" "$mode"; done
for mode in serial parallel; do holds counted "$folder/openmp" "$mode"; done
for program in phases kinds arrays; do holds counted "$folder/$program"; done
for right in "" all "far own"; do
    # shellcheck disable=SC2086
    holds counted "$folder/sockets" 200000 $right
done
holds counted "$folder/heat" 5
# Their allocators use pages again, or touch more than the arrays.
for program in growth vectors nodes algorithms; do holds other "$folder/$program"; done
for program in patterns mixed touch openmp sockets heat; do refused "$program"; done
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2> /dev/null; then
        holds other "$python" "$here/../src/numpy_arrays.py"
        break
    fi
done

if [ "$failures" -ne 0 ]; then
    echo "$failures of $runs runs failed"
    exit 1
fi
echo "objects: $runs runs, their truths add up"
