/* The command line: what was typed, checked. */
#ifndef ADVECT_OPTIONS_H
#define ADVECT_OPTIONS_H

typedef struct {
    int points[3], steps;
    double courant;
    int help;
} Options;

extern const char options_usage[];

/* 1 where the words are right; else what was found and what was expected is in `message`. */
int options_parse(int count, char **words, Options *options, char *message, int size);

#endif
