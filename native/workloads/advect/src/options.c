#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: advect nx ny nz steps [options]\n"
    "\n"
    "Moves a bump through a limited area of nx x ny x nz points with a wind that turns about a tilted axis, over MPI ranks that\n"
    "share the area in two dimensions (nz is not divided). The exact answer is known, and compared.\n"
    "\n"
    "  nx ny nz        points, at least 4 in each direction\n"
    "  steps           steps in time; only these are timed\n"
    "  --courant C     how far the wind goes in a step, in points, summed over the directions: above 0, at most 1.2\n"
    "                  (default: 1)\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 the run failed or the answer is wrong; 2 the arguments are wrong.\n";

enum { MOST_POINTS = 65536, MOST_STEPS = 1000000000 };

static int parse_whole(const char *name, const char *word, int least, int most, int *value, char *message, int size) {
    char *end;
    errno = 0;
    const long number = strtol(word, &end, 10);
    /* strtol takes blanks and signs before a number too. */
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0 || number < least || number > most) {
        snprintf(message, (size_t)size, "%s: found '%s', expected a whole number from %d to %d", name, word, least, most);
        return 0;
    }
    *value = (int)number;
    return 1;
}

static int parse_courant(const char *word, double *value, char *message, int size) {
    char *end;
    *value = strtod(word, &end);
    if (*word < '0' || *word > '9' || *end != '\0' || !(*value > 0 && *value <= 1.2)) {
        snprintf(message, (size_t)size, "--courant: found '%s', expected a number above 0 and at most 1.2", word);
        return 0;
    }
    return 1;
}

int options_parse(int count, char **words, Options *options, char *message, int size) {
    static const char *const names[] = {"nx", "ny", "nz", "steps"};
    const char *numbers[4];
    int found = 0;
    *options = (Options){{0, 0, 0}, 0, 1, 0};
    for (int at = 1; at < count; ++at) {
        const char *word = words[at];
        if (strncmp(word, "--", 2) != 0) {
            if (found < 4)
                numbers[found] = word;
            ++found;
        } else if (strncmp(word, "--courant", 9) == 0 && (word[9] == '=' || word[9] == '\0')) {
            const char *value = word[9] == '=' ? word + 10 : at + 1 < count ? words[++at] : "";
            if (!parse_courant(value, &options->courant, message, size))
                return 0;
        } else if (strcmp(word, "--help") == 0) {
            options->help = 1;
            return 1;
        } else {
            snprintf(message, (size_t)size, "found option '%s', expected --courant or --help", word);
            return 0;
        }
    }
    if (found != 4) {
        snprintf(message, (size_t)size, "found %d numbers, expected 4: nx ny nz steps", found);
        return 0;
    }
    for (int at = 0; at < 3; ++at)
        if (!parse_whole(names[at], numbers[at], 4, MOST_POINTS, &options->points[at], message, size))
            return 0;
    return parse_whole(names[3], numbers[3], 1, MOST_STEPS, &options->steps, message, size);
}
