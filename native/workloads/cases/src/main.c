// cases CASE MIB ROUNDS [THREADS [FILE|COMMAND...]]: programs whose best placement is known from how they are made.
//
// CASES_PIN=0,2,1,3 holds worker k to the CPU that stands there; CASES_CHECK=1 checks the whole result.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static const struct entry *const tables[] = {thread_cases, pattern_cases, process_cases, own_cases, idle_cases};
enum { TABLES = sizeof tables / sizeof tables[0] };

static _Noreturn void usage(FILE *to, int status)
{
    fprintf(to, "usage: cases CASE MIB ROUNDS [THREADS [FILE|COMMAND...]]\n");
    for (int t = 0; t < TABLES; t++)
        for (const struct entry *e = tables[t]; e->name; e++) fprintf(to, "  %-15s %s\n", e->name, e->what);
    exit(status);
}

static long number(const char *text, const char *what, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end != text && !*end && value >= least && value <= most) return value;
    fprintf(stderr, "cases: %s: found '%s', expected a whole number from %ld to %ld\n", what, text, least, most);
    exit(2);
}

int main(int count, char **words)
{
    if (count == 2 && !strcmp(words[1], "--help")) usage(stdout, 0);
    if (count < 4) usage(stderr, 2);
    const char *check = getenv("CASES_CHECK");
    struct job job = {
        .bytes = (size_t)number(words[2], "MIB", 0, 1 << 20) << 20,
        .rounds = number(words[3], "ROUNDS", 0, 1l << 40),
        .threads = count > 4 ? (int)number(words[4], "THREADS", 1, MOST_THREADS) : 1,
        .rest = words + (count > 5 ? 5 : count),
        .check = check && !strcmp(check, "1"),
    };
    for (int t = 0; t < TABLES; t++) {
        for (const struct entry *e = tables[t]; e->name; e++) {
            if (strcmp(e->name, words[1])) continue;
            double begin = now();
            e->run(&job);
            printf("%s: done\nseconds: %.6f\n", e->name, now() - begin);
            return 0;
        }
    }
    fprintf(stderr, "cases: no case is called '%s'\n", words[1]);
    usage(stderr, 2);
}
