#!/bin/sh
# Stands where gcc looks for its compiler proper, which is called as gcc wants it, but for the record of its loops.
folder=${0%/bin/*}
program=${0##*/}
read -r before <"$folder/path"
real=$(COMPILER_PATH=$before "${COLLECT_GCC:-gcc}" -print-prog-name="$program")
case " $* " in
*' -E '* | *' -fwpa '* | *' -fsyntax-only '*) exec "$real" "$@" ;;
esac
# -march=native is of the driver, which says what it stands for.
native() {
    parameter=
    for word in $(COMPILER_PATH=$before "${COLLECT_GCC:-gcc}" -march=native '-###' -S -x c /dev/null -o /dev/null 2>&1 | tr -d '"'); do
        case $parameter$word in
        --param* | -m*) printf ' %s' "$word" ;;
        esac
        parameter=
        [ "$word" != --param ] || parameter=$word
    done
}
if [ -f "$folder/flags" ]; then
    read -r flags <"$folder/flags"
    case " $flags " in
    *' -march=native '*) flags="${flags%-march=native*}$(native)${flags##*-march=native}" ;;
    esac
    : >"$folder/records/$$.call"
    # shellcheck disable=SC2086
    exec "$real" "$@" $flags
fi
# Of two records gcc would write one, and warn. Loops have lines by -g, which changes no instruction.
lines=-g
for word do
    shift
    case $word in
    -fopt-info*) continue ;;
    -g*) lines= ;;
    esac
    set -- "$@" "$word"
done
number=0
while [ $number -lt 100 ]; do
    record=$folder/records/$$-$number
    if (set -C && printf '%s\0' "$PWD" "$COLLECT_GCC_OPTIONS" "$@" >"$record.call") 2>/dev/null; then
        "$real" "$@" $lines "-fopt-info-vec-all-internals=$record.all"
        status=$?
        grep -E ': missed: |: optimized: |fold-left' "$record.all" >"$record.loops" 2>/dev/null
        rm -f "$record.all"
        exit $status
    fi
    number=$((number + 1))
done
exec "$real" "$@"
