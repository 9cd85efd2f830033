/* What a sanitizer finds, or finds nothing to say about: for -fsanitize=address, thread, undefined. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_race;

static void *count(void *unused) {
    for (int k = 0; k < 1000; ++k) {
        if (!is_race)
            pthread_mutex_lock(&lock);
        ++shared;
        if (!is_race)
            pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    is_race = strcmp(way, "race") == 0;
    pthread_t threads[2];
    for (int k = 0; k < 2; ++k)
        pthread_create(&threads[k], NULL, count, NULL);
    for (int k = 0; k < 2; ++k)
        pthread_join(threads[k], NULL);
    if (!is_race)
        printf("counted %d\n", shared);
    fflush(stdout);
    int status = 0;
    if (fork() == 0)
        exit(3);
    wait(&status);
    char *memory = malloc(8);
    memset(memory, 'a', 8);
    if (strcmp(way, "beyond") == 0)
        memory[8 + argc - 2] = 'b';
    if (strcmp(way, "overflow") == 0)
        printf("%d\n", 0x7fffffff + argc > 0);
    printf("%.8s %d\n", memory, WEXITSTATUS(status));
    free(memory);
    return 5;
}
