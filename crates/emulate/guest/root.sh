# The host's files as the root of the commands that follow: read by 9p, and changed in memory only. What is written below
# /run/numawise/results is written on the host, in a folder made for this guest. Runs in the guest's own root, once.
set -e
for module in /testbed/modules/*.ko; do
    insmod "$module" 2> /dev/null || true # it may be there already; what is missing shows when it is needed
done
mkdir -p /host /over /new
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 root /host
mount -t tmpfs -o size=90% over /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/host,upperdir=/over/upper,workdir=/over/work root /new
for folder in proc sys dev tmp run/numawise/results; do
    mkdir -p "/new/$folder"
done
mount --bind /proc /new/proc
mount --rbind /sys /new/sys
mount --rbind /dev /new/dev
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none,msize=512000 results /new/run/numawise/results
cp /testbed/rehearsal.json /testbed/rehearsal.sh /new/run/numawise/
# Its own name must be known without a network.
printf '127.0.0.1 localhost emulated\n' > /new/etc/hosts
# Devices of the host that are no files of /dev are not here; ptys are needed by launchers.
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts 2> /dev/null || true
