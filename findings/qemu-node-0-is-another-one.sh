#!/usr/bin/env bash
# A NUMA node that QEMU is told to number 0 is node 1 in the guest, where it has no CPUs.
#
# Software: QEMU 7.2 with Linux 6.1 as the guest (Debian 12); emulated, so that it needs no virtualisation.
#
# One would expect: `-numa node,nodeid=0,memdev=small -numa node,nodeid=1,cpus=0-1,memdev=large` makes a guest whose
# node 0 has the small memory and no CPUs, and whose node 1 has the CPUs.
#
# What happens, with 128 MiB and 384 MiB (what the kernel leaves of them), by the guest's /sys/devices/system/node:
#   node0 cpus 0-1, 385236 kB
#   node1 cpus none, 95396 kB
# QEMU writes the CPUs into the firmware's table first, and the kernel numbers nodes in the order in which it meets
# them, not by their numbers in that table. There is no message on either side.
#
# Why it matters: a machine with a node of slow or fast memory is tried out on the wrong node: `numactl -m 0` binds to
# what the description calls node 1. It is found out only by the size, or not at all where both have the same.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

need python3
version=1:7.2+dfsg-7+deb12u18
kernel=6.1.0-56-cloud-amd64
libraries_of_qemu=(
    libaio1=0.3.113-4 libblkid1=2.38.1-5+deb12u3 libbpf1=1:1.1.2-0+deb12u1 libcapstone4=4.0.2-5 libdaxctl1=76.1-1
    libelf1=0.188-2.1 libfdt1=1.6.1-4+b1 libffi8=3.4.4-1 libfuse3-3=3.14.0-4 libglib2.0-0=2.74.6-2+deb12u9
    libgmp10=2:6.2.1+dfsg1-1.1 libgnutls30=3.7.9-2+deb12u7 libhogweed6=3.8.1-2 libibverbs1=44.0-2 libidn2-0=2.3.3-1+b1
    libjpeg62-turbo=1:2.1.5-2 libkmod2=30+20221128-1 liblzma5=5.4.1-1+deb12u2 libmount1=2.38.1-5+deb12u3 libndctl6=76.1-1
    libnettle8=3.8.1-2 libnl-3-200=3.7.0-0.2+b1 libnl-route-3-200=3.7.0-0.2+b1 libnuma1=2.0.16-1 libp11-kit0=0.24.1-2
    libpcre2-8-0=10.42-1+deb12u2 libpixman-1-0=0.42.2-1 libpmem1=1.12.1-2 libpng16-16=1.6.39-2+deb12u6 librdmacm1=44.0-2
    libsasl2-2=2.1.28+dfsg-10+deb12u1 libseccomp2=2.5.4-1+deb12u1 libselinux1=3.4-1+b6 libslirp0=4.7.0-1
    libssl3=3.0.22-1~deb12u2 libtasn1-6=4.19.0-2+deb12u1 libudev1=252.39-1~deb12u2 libunistring2=1.0-2 liburing2=2.3-3
    libuuid1=2.38.1-5+deb12u3 libvdeplug2=4.0.1-4 libzstd1=1.5.4+dfsg2-5 zlib1g=1:1.2.13.dfsg-1
)
deb "qemu-system-x86=$version+b3" "qemu-system-common=$version+b3" "qemu-system-data=$version" seabios=1.16.2-1 \
    "linux-image-$kernel=6.1.192-2" busybox-static=1:1.35.0-4+deb12u1+b1
deb "${libraries_of_qemu[@]}" > /dev/null
note "with ${#libraries_of_qemu[@]} libraries that QEMU needs"

cat > init << 'END'
#!/bin/busybox sh
/bin/busybox mount -t sysfs none /sys
for node in /sys/devices/system/node/node[0-9]*; do
    cpus=$(/bin/busybox cat $node/cpulist)
    size=$(/bin/busybox sed -n 's/.*MemTotal: *//p' $node/meminfo)
    echo "SEEN ${node##*/} cpus ${cpus:-none}, $size"
done
/bin/busybox poweroff -f
END
# A file system of two files for the guest, in cpio's format "newc".
python3 - "$work/deb/bin/busybox" init > guest << 'END'
import sys
number = 0

def entry(name, mode, data=b"", major=0, minor=0):
    global number
    number += 1
    name = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name), 0)
    text = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    text += b"\0" * (-len(text) % 4) + data
    sys.stdout.buffer.write(text + b"\0" * (-len(text) % 4))

for folder in ("bin", "dev", "sys"):
    entry(folder, 0o40755)
entry("dev/console", 0o20600, major=5, minor=1)
for name, path in (("bin/busybox", sys.argv[1]), ("init", sys.argv[2])):
    with open(path, "rb") as file:
        entry(name, 0o100755, file.read())
entry("TRAILER!!!", 0)
END

share=$work/deb/usr/share
arguments=(
    -L "$share/qemu" -L "$share/seabios" -accel tcg -cpu max -nodefaults -display none -no-reboot
    -machine "q35,sata=off,smbus=off" -serial stdio -kernel "$work/deb/boot/vmlinuz-$kernel" -initrd guest
    -append "console=ttyS0 quiet panic=-1 rdinit=/init tsc=reliable mitigations=off"
    -smp 2 -m 512M
    -object "memory-backend-ram,id=small,size=128M" -object "memory-backend-ram,id=large,size=384M"
    -numa "node,nodeid=0,memdev=small" -numa "node,nodeid=1,cpus=0-1,memdev=large"
)
note "QEMU is told: node 0 has 128 MiB and no CPUs, node 1 has 384 MiB and CPUs 0-1"
LD_LIBRARY_PATH=$libraries:$work/deb/lib/x86_64-linux-gnu QEMU_MODULE_DIR=$libraries/qemu \
    bounded "$work/deb/usr/bin/qemu-system-x86_64" "${arguments[@]}" < /dev/null > console 2>&1 || true
tr -d '\r' < console | sed -n 's/.*SEEN //p' > seen
[[ -s seen ]] || fail "the guest did not start: $(tail -n 3 console)"
node() { # NUMBER
    sed -n "s/^node$1 //p" seen
}
zero=$(node 0) one=$(node 1)
same "node0 of the guest, its CPUs" "cpus 0-1" "${zero%%,*}"
size=${zero##*, }
holds "node0 of the guest, its memory" "$size" test "${size% kB}" -gt 300000
same "node1 of the guest, its CPUs" "cpus none" "${one%%,*}"
size=${one##*, }
holds "node1 of the guest, its memory" "$size" test "${size% kB}" -lt 140000
finish
