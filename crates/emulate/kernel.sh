#!/usr/bin/env bash
# Fetches the kernel of the emulated machines: Debian's cloud image, the newest 6.12 that the package lists have, else
# the newest 6.1. Prints the path of the image; does nothing else when it is there.
#   kernel.sh FOLDER
set -euo pipefail
folder=${1:?usage: kernel.sh FOLDER}

fail() {
    echo "kernel.sh: $*" >&2
    exit 1
}

image_in() { # the kernel image under a folder, nothing if there is none
    find "$1" -path '*/boot/vmlinuz-*-cloud-amd64' -type f -print -quit 2> /dev/null || true
}

image=$(image_in "$folder/kernel")
if [[ -n $image ]]; then
    echo "$image"
    exit
fi

for tool in apt-get apt-cache dpkg; do
    command -v "$tool" > /dev/null || fail "$tool is not here: the kernel comes as a Debian package"
done

# The signed images only: no -dbg, no -unsigned, no package that just depends on the newest one.
newest() {
    apt-cache search --names-only "^linux-image-$1\\..*-cloud-amd64\$" | cut -d' ' -f1 |
        { grep -E "^linux-image-$1\\.[0-9]+([.+-].*)?-cloud-amd64\$" || true; } | sort -V | tail -n 1
}

package=
for series in 6.12 6.1; do
    package=$(newest "$series")
    [[ -z $package ]] || break
done
[[ -n $package ]] || fail "no package linux-image-6.12.*-cloud-amd64 or linux-image-6.1.*-cloud-amd64 is known;" \
    "try: apt-get update"

mkdir -p "$folder"
fresh=$(mktemp -d "$folder/kernel.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
# apt's own user may not write below this folder; it would only warn, but its files could be left unreadable.
(cd "$fresh" && apt-get -q -o APT::Sandbox::User=root download "$package" >&2) ||
    fail "apt-get could not download $package; try: apt-get update"
dpkg -x "$fresh"/*.deb "$fresh/unpacked"
rm -f "$fresh"/*.deb
[[ -n $(image_in "$fresh/unpacked") ]] || fail "$package has no boot/vmlinuz-*-cloud-amd64 in it"
rm -rf "$folder/kernel"
mkdir "$folder/kernel"
mv "$fresh/unpacked/boot" "$folder/kernel/boot"
image_in "$folder/kernel"
