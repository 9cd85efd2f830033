#!/usr/bin/env bash
# Ranks of one job have different environments: Open MPI hands on the caller's to its own computer only.
#
# Software: Open MPI 5.0.11, beside MPICH 5.0.2.
#
# One would expect: `OMP_NUM_THREADS=4 mpirun ...` sets OMP_NUM_THREADS in all ranks, or in none.
#
# What happens with a rank on each of two computers:
#   Open MPI: here OMP_NUM_THREADS=4, elsewhere it is unset
#   Open MPI with -x OMP_NUM_THREADS: 4, 4
#   MPICH:    4, 4
# The second computer is this one under another name: a script in the place of ssh starts the launcher's daemon in an
# environment without the caller's variables, as ssh does.
#
# Why it matters: a test on one computer works, and the same line on two has ranks with 4 threads and ranks with one for
# every CPU; OMP_PLACES, LD_PRELOAD of a tool and paths of libraries go the same way. The slowest rank decides, so the
# whole job is slow. A tool that hands its settings to ranks by the environment sees only some of them.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

open_mpi 5.0.11
wheel mpich==5.0.2

cat > ssh << 'END'
#!/usr/bin/env bash
# Its options, the host, and the command: what of ssh a launcher needs.
while [[ ${1-} == -* ]]; do
    shift
done
host=$1
shift
exec env -i PATH="$PATH" HOME="$HOME" TMPDIR="$TMPDIR" COMPUTER="$host" bash -c "$*"
END
cat > show << 'END'
#!/usr/bin/env bash
echo "${COMPUTER:-here}: ${OMP_NUM_THREADS:-unset}"
END
chmod +x ssh show
export OMP_NUM_THREADS=4

elsewhere=(--prtemca plm_ssh_agent "$work/ssh" --host "localhost:1,elsewhere:1")
note "OMP_NUM_THREADS of each rank; the caller has OMP_NUM_THREADS=4"
same "Open MPI" "elsewhere: unset here: 4" "$(ranks ./show "$mpirun" -n 2 "${elsewhere[@]}")"
same "Open MPI, -x OMP_NUM_THREADS" "elsewhere: 4 here: 4" "$(ranks ./show "$mpirun" -n 2 -x OMP_NUM_THREADS "${elsewhere[@]}")"
same "MPICH" "elsewhere: 4 here: 4" \
    "$(ranks ./show "$work/mpich/bin/mpiexec" -n 2 -launcher ssh -launcher-exec "$work/ssh" -hosts here,elsewhere)"
finish
