/* growth: an array that grows by realloc while it is filled, as a reader of input does it, and one of its final size. A third comes and
 * goes: allocated, filled, used and freed many times at one place. */
#include <stdlib.h>

#include "account.h"
#include "kernels.h"

enum { MOST = 1 << 22, FIRST = 1 << 14, TIMES = 20, BRIEF = 1 << 19 };

static int of_grown, of_whole, of_brief;

/* `realloc` moves pages of large blocks, so that each is touched once. */
static word *grow(void) {
    word *grown = NULL;
    for (size_t n = 0, room = FIRST; n < MOST; n = room, room *= 2) {
        grown = realloc(grown, room * sizeof *grown); if (n == 0) of_grown = HERE_OBJECT("grown", "heap");
        if (grown == NULL)
            exit(1);
        fill(grown, MOST, n, room);
    }
    account_touch(of_grown, MOST * sizeof *grown);
    return grown;
}

int main(void) {
    static struct walk w;
    account_begin();
    const double seconds = account_seconds();
    word *grown = grow();
    word *whole = malloc(MOST * sizeof *whole); of_whole = HERE_OBJECT("whole", "heap");
    if (whole == NULL)
        return 1;
    fill(whole, MOST, 0, MOST);
    account_touch(of_whole, MOST * sizeof *whole);
    for (int turn = 0; turn < TIMES; ++turn) {
        word *brief = malloc(BRIEF * sizeof *brief); if (turn == 0) of_brief = HERE_OBJECT("brief", "heap");
        if (brief == NULL)
            return 1;
        fill(brief, BRIEF, 0, BRIEF);
        account_touch(of_brief, BRIEF * sizeof *brief);
        USE_FOR(of_brief, 0.2 * seconds / TIMES, 1, random_reads(brief, BRIEF, &w));
        free(brief);
        USE_FOR(of_grown, 0.5 * seconds / TIMES, 1, random_reads(grown, MOST, &w));
        USE_FOR(of_whole, 0.3 * seconds / TIMES, 0, random_writes(whole, MOST, &w));
    }
    account_print("separable");
    free(grown);
    free(whole);
    return 0;
}
