#!/usr/bin/env bash
# A library that stands before write(2) sees nothing of what printf and fwrite write.
#
# Software: the GNU C library of this system (2.36 when this was written).
#
# One would expect: a preloaded `write` sees all that a dynamically linked program writes: fwrite fills a buffer, and
# write empties it.
#
# What happens with 1 MiB each: of write, the preloaded function sees 1048576 bytes; of fwrite and fclose, 0. Streams
# call the kernel by a function of the library's own, through a table (_IO_file_jumps), not by the name `write`.
#
# Why it matters: profiles of I/O that are made by preloading show the I/O of Fortran, Python and HDF5, which call
# write, and none of C programs that use streams. There is no hint that something is missing: the file is there, and has
# its size.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

[[ $(getconf GNU_LIBC_VERSION 2> /dev/null) == glibc* ]] || fail "the C library of this system is not glibc"
compile tracer.so -shared -fPIC << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static long seen;

static ssize_t real(int file, const void *bytes, size_t size)
{
    return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    seen += size;
    return real(file, bytes, size);
}

__attribute__((destructor)) static void report(void)
{
    char text[32];
    real(2, text, snprintf(text, sizeof text, "%ld\n", seen));
}
END
compile program << 'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char data[1 << 20];

int main(int count, char *words[])
{
    if (count > 1 && words[1][0] == 's') {
        FILE *file = fopen("by-stream", "w");
        return !file || fwrite(data, 1, sizeof data, file) != sizeof data || fclose(file);
    }
    int file = open("by-write", O_WRONLY | O_CREAT, 0600);
    return write(file, data, sizeof data) != sizeof data || close(file);
}
END
note "with $(getconf GNU_LIBC_VERSION); bytes that a preloaded write sees, of 1048576"
same "of a program that calls write" 1048576 "$(bounded env "LD_PRELOAD=$work/tracer.so" ./program call 2>&1)"
same "of a program that calls fwrite" 0 "$(bounded env "LD_PRELOAD=$work/tracer.so" ./program stream 2>&1)"
same "size of the file by write" 1048576 "$(stat -c %s by-write)"
same "size of the file by fwrite" 1048576 "$(stat -c %s by-stream)"
finish
