#!/usr/bin/env bash
# dlsym gives no function, and dlerror says that there was no error.
#
# Software: glibc 2.36 (Debian 12).
#
# One would expect: dlerror tells "not there" from "there, with the value null", as dlsym(3) says, so that whoever finds null and an
# error of null has found a symbol that is null.
#
# What happens for an indirect function whose choice comes to nothing (an `ifunc` resolver that returns null, which libraries with code for
# several processors do where none fits):
#   a weak reference to it is null, as if the name were not there;
#   dlsym gives null, and dlerror says that nothing went wrong, as if the name were there.
#
# Why it matters: bindings that turn null into an exception with the text of dlerror have no text (Python's ctypes up to 3.11 gave null to the
# constructor of its exception). Who offers a function under a condition cannot say "not there" to all who ask.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

[[ $(getconf GNU_LIBC_VERSION) == "glibc 2.36" ]] || fail "glibc 2.36 is needed, found $(getconf GNU_LIBC_VERSION)"

compile libchosen.so -shared -fPIC << 'END'
static void *none(void) { return 0; }
int chosen(void) __attribute__((ifunc("none")));
END
compile asks -Wl,--no-as-needed -L"$work" -lchosen -Wl,-rpath,"$work" << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

extern int chosen(void) __attribute__((weak));

static void ask(const char *name)
{
    dlerror();
    void *found = dlsym(RTLD_DEFAULT, name);
    const char *error = dlerror();
    printf("%s: %s, %s\n", name, found ? "there" : "null", error ? "an error" : "no error");
}

int main(void)
{
    printf("weak reference: %s\n", chosen ? "there" : "null");
    ask("chosen");
    ask("missing");
    return 0;
}
END

note "an indirect function whose choice comes to nothing, beside a name that is not there"
same "glibc 2.36" "weak reference: null chosen: null, no error missing: null, an error" "$(bounded ./asks | tr '\n' ' ' | sed 's/ $//')"
finish
