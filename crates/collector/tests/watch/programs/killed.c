/* Ends by a signal that nobody can catch, after 10 regions in which one thread of two waits 10 ms. */
#include <omp.h>
#include <signal.h>
#include <time.h>

int main(void) {
    for (int k = 0; k < 10; ++k) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            struct timespec wait = {0, 10000000};
            nanosleep(&wait, NULL);
        }
    }
    return raise(SIGKILL);
}
