/* One region of two threads, each of which rests a little. */
#include <unistd.h>

int main(void) {
#pragma omp parallel num_threads(2)
    usleep(20000);
    return 0;
}
