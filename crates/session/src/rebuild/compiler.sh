#!/bin/sh
# Stands where gcc looks for its compiler proper, which is called as gcc wants it, but for the record of its loops.
folder=${0%/bin/*}
program=${0##*/}
read -r before <"$folder/path"
real=$(COMPILER_PATH=$before "${COLLECT_GCC:-gcc}" -print-prog-name="$program")
case " $* " in
*' -E '* | *' -fwpa '* | *' -fsyntax-only '*) exec "$real" "$@" ;;
esac
# Of two records gcc would write one, and warn.
for word do
    shift
    case $word in
    -fopt-info*) ;;
    *) set -- "$@" "$word" ;;
    esac
done
number=0
while [ $number -lt 100 ]; do
    record=$folder/records/$$-$number
    if (set -C && printf '%s\0' "$PWD" "$COLLECT_GCC_OPTIONS" "$@" >"$record.call") 2>/dev/null; then
        "$real" "$@" "-fopt-info-vec-all-internals=$record.all"
        status=$?
        grep -E ': missed: |: optimized: |fold-left' "$record.all" >"$record.loops" 2>/dev/null
        rm -f "$record.all"
        exit $status
    fi
    number=$((number + 1))
done
exec "$real" "$@"
