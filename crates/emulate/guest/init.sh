#!/bin/busybox sh
# The guest's first and only process besides the commands. It sends frames (src/frames.rs) over the second serial port,
# raw and with lengths, so that neither kernel messages nor anything a command prints can be taken for a result.
bb=/testbed/busybox
$bb mkdir -p /testbed/bin /proc /sys /dev /tmp /run /root /etc /var/tmp
$bb --install -s /testbed/bin
# Programs that were copied in come before busybox's own of the same name.
export PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:/testbed/bin HOME=/root LANG=C TERM=dumb
export OMP_WAIT_POLICY=passive # spinning threads would starve the host's few real cores
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
chmod 1777 /tmp /var/tmp /dev/shm
for controller in cpuset cpu memory; do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control
done
mkdir /sys/fs/cgroup/testbed
# First touch would be decided 2 MiB at a time.
echo never > /sys/kernel/mm/transparent_hugepage/enabled
echo root:x:0:0:root:/root:/bin/sh > /etc/passwd
echo root:x:0: > /etc/group
# Names are asked of files only: there is nobody to ask on a network.
echo 'passwd: files
group: files
hosts: files' > /etc/nsswitch.conf
echo 127.0.0.1 localhost emulated > /etc/hosts
hostname emulated
ip link set lo up
# The first connection makes the kernel change its code too. Nobody listens.
nc -w 1 127.0.0.1 9 < /dev/null > /dev/null 2>&1
stty -F /dev/ttyS1 raw -echo
exec 3> /dev/ttyS1

timed=
if [ -e /testbed/mark ]; then timed=yes; fi

# Up to here on one CPU (src/qemu.rs says why): what makes the kernel change its code, such as the first cpuset, is done.
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
    echo 1 > "$cpu/online"
done
# shellcheck disable=SC1091 # written by src/guest.rs
. /testbed/env
cd /root || exit
uptime() {
    read -r up _ < /proc/uptime
    echo "$up"
}
echo "boot $(uptime)" >&3

count=$(find /testbed/commands -type f | wc -l)
k=0
while [ "$k" -lt "$count" ]; do
    echo "start $k" >&3
    begin=$(uptime)
    : > /testbed/out
    : > /testbed/err
    if [ -e /testbed/live ]; then
        tail -q -n +1 -f /testbed/out /testbed/err > /dev/console 2>&1 3>&- &
        watcher=$!
    fi
    if [ -n "$timed" ]; then /testbed/mark; fi
    sh "/testbed/commands/$k" > /testbed/out 2> /testbed/err < /dev/null 3>&-
    status=$?
    if [ -n "$timed" ]; then /testbed/mark; fi
    end=$(uptime)
    if [ -e /testbed/live ]; then
        sleep 2 # tail looks once a second
        kill "$watcher"
    fi
    echo "command $k $status $begin $end $(stat -c %s /testbed/out) $(stat -c %s /testbed/err)" >&3
    cat /testbed/out /testbed/err >&3
    k=$((k + 1))
done

k=0
while read -r path; do
    if [ -f "$path" ]; then
        echo "file $k $(stat -L -c %s "$path")" >&3
        cat "$path" >&3
    else
        echo "absent $k" >&3
    fi
    k=$((k + 1))
done < /testbed/collect
echo "done" >&3
# The port must be empty before the power goes.
exec 3>&-
poweroff -f
