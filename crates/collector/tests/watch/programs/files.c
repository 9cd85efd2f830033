/* Does things with files; prints what it did: bytes read, bytes written, nanoseconds in the calls that count. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long bytes_read, bytes_written, nanoseconds;
static char block[65536];

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void need(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(9);
    }
}

/* Counts what a call gave, and its time. */
#define TIMED(sum, call)                                                                                               \
    do {                                                                                                               \
        const long long begin = now();                                                                                 \
        const long long gave = (call);                                                                                 \
        nanoseconds += now() - begin;                                                                                  \
        need(gave >= 0, #call);                                                                                        \
        sum += gave;                                                                                                   \
    } while (0)

static void posix(void) {
    long long none = 0;
    const int file = open("a", O_RDWR | O_CREAT | O_TRUNC, 0600);
    need(file >= 0, "open");
    for (int k = 0; k < 200; ++k)
        TIMED(bytes_written, write(file, block, 10000 + k));
    TIMED(bytes_written, pwrite(file, block, 777, 5));
    struct iovec two[2] = {{block, 100}, {block + 100, 23}};
    TIMED(bytes_written, writev(file, two, 2));
    TIMED(bytes_written, pwritev(file, two, 2, 50));
    TIMED(none, fsync(file));
    TIMED(none, fdatasync(file));
    need(lseek(file, 0, SEEK_SET) == 0, "lseek");
    for (long long before = -1; before != bytes_read;) {
        before = bytes_read;
        TIMED(bytes_read, read(file, block, sizeof block));
    }
    TIMED(bytes_read, pread(file, block, 300, 1));
    TIMED(bytes_read, readv(file, two, 2)); /* at the end: nothing */
    TIMED(bytes_read, preadv(file, two, 2, 9));
    TIMED(none, ftruncate(file, 100));
    errno = 4711;
    need(close(file) == 0 && errno == 4711, "close leaves errno");
    need(read(file, block, 1) == -1 && errno == EBADF, "read of what is closed");
}

static void streams(void) {
    FILE *file = fopen("b", "w");
    need(file != 0, "fopen");
    for (int k = 0; k < 20000; ++k)
        bytes_written += fprintf(file, "%d %g %s\n", k, k / 3.0, "a line of it");
    for (int k = 0; k < 5000; ++k)
        bytes_written += putc('x', file) == 'x';
    bytes_written += fwrite(block, 1, 50000, file);
    need(fclose(file) == 0, "fclose");
    file = fopen("b", "r");
    need(file != 0, "fopen");
    char *line = 0;
    size_t room = 0;
    for (int k = 0; k < 10000; ++k) {
        need(fgets(block, sizeof block, file) != 0, "fgets");
        bytes_read += strlen(block);
    }
    for (ssize_t length; (length = getline(&line, &room, file)) >= 0;)
        bytes_read += length;
    need(fclose(file) == 0, "fclose");
    free(line);
}

/* What was not flushed is written at the end. */
static void at_exit(void) {
    FILE *file = fopen("c", "w");
    need(file != 0, "fopen");
    bytes_written += fprintf(file, "some words that nobody flushes\n");
}

static void *writes_slowly(void *to) {
    for (int k = 0; k < 5; ++k) {
        usleep(20000);
        need(write(*(int *)to, "x", 1) == 1, "write");
    }
    return 0;
}

static void pipes(void) {
    int ends[2];
    pthread_t writer;
    need(pipe(ends) == 0, "pipe");
    need(pthread_create(&writer, 0, writes_slowly, &ends[1]) == 0, "thread");
    for (int k = 0; k < 5; ++k)
        need(read(ends[0], block, 1) == 1, "read");
    pthread_join(writer, 0);
    /* Files that the kernel makes up, and a device, are no files. */
    const int status = open("/proc/self/status", O_RDONLY), zero = open("/dev/zero", O_RDONLY);
    need(read(status, block, 100) == 100 && read(zero, block, 1000) == 1000, "read");
}

/* The number of a file becomes that of a pipe, each time in another way. */
static void numbers(void) {
    for (int k = 0; k < 400; ++k) {
        int ends[2];
        int file = open("a", O_RDWR | O_CREAT, 0600);
        need(write(file, "12345", 5) == 5, "write");
        bytes_written += 5;
        if (k % 4 == 0) {
            need(close(file) == 0 && pipe(ends) == 0, "pipe");
        } else if (k % 4 == 1) {
            int more[2];
            need(pipe(more) == 0 && dup2(more[0], file) == file && close(more[0]) == 0, "dup2");
            ends[0] = file, ends[1] = more[1];
        } else if (k % 4 == 2) {
            need(close_range(file, file, 0) == 0 && pipe(ends) == 0, "close_range");
        } else {
            FILE *stream = fdopen(file, "r");
            need(fclose(stream) == 0 && pipe(ends) == 0, "fclose");
        }
        need(ends[0] == file, "the same number");
        need(write(ends[1], "abc", 3) == 3 && read(ends[0], block, 9) == 3, "pipe");
        close(ends[0]), close(ends[1]);
    }
}

static int handled;
static volatile sig_atomic_t signals;
static void writes(int number) {
    (void)number;
    const int before = errno;
    if (write(handled, "h", 1) == 1)
        ++signals;
    errno = before;
}

static void handlers(void) {
    int file = open("a", O_RDWR | O_CREAT, 0600);
    handled = open("h", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    signal(SIGALRM, writes);
    ualarm(500, 500);
    for (const long long until = now() + 300000000; now() < until || signals < 3;)
        need(pwrite(file, block, 4096, 0) == 4096, "pwrite");
    ualarm(0, 0);
    need(lseek(handled, 0, SEEK_END) == signals && signals > 2, "what handlers wrote");
}

static sigjmp_buf back;
static void leaps(int number) { siglongjmp(back, number); }

/* Calls are left by leaps; those that follow count. */
static void leap(void) {
    int ends[2], file = open("a", O_RDWR | O_CREAT, 0600);
    need(pipe(ends) == 0, "pipe");
    signal(SIGALRM, leaps);
    for (volatile int k = 0; k < 100; ++k) {
        if (sigsetjmp(back, 1) == 0) {
            ualarm(1000, 0);
            for (;;)
                pwrite(file, block, 0, 0);
        }
    }
    for (volatile int k = 0; k < 20; ++k) {
        if (sigsetjmp(back, 1) == 0) {
            ualarm(2000, 0);
            read(ends[0], block, 1);
        }
    }
    posix();
}

static void cleans(void *file) { bytes_written += write(*(int *)file, "cleaned", 7); }

static _Atomic int is_about_to_read;

static void *waits(void *ends) {
    int file = open("a", O_RDWR | O_CREAT, 0600);
    pthread_cleanup_push(cleans, &file);
    is_about_to_read = 1;
    read(*(int *)ends, block, 1);
    pthread_cleanup_pop(1);
    return 0;
}

static void cancel(void) {
    int ends[2];
    pthread_t thread;
    void *how;
    need(pipe(ends) == 0 && pthread_create(&thread, 0, waits, ends) == 0, "thread");
    while (!is_about_to_read)
        usleep(1000);
    /* In the call then, or on its way there. */
    usleep(50000);
    need(pthread_cancel(thread) == 0 && pthread_join(thread, &how) == 0, "cancel");
    need(how == PTHREAD_CANCELED, "a point where it may be cancelled");
    need(bytes_written == 7, "its handler");
}

static void *writes_many(void *name) {
    const int file = open(name, O_WRONLY | O_CREAT, 0600);
    for (int k = 0; k < 1000; ++k)
        need(write(file, block, 64) == 64, "write");
    close(file);
    return 0;
}

static void threads(void) {
    pthread_t all[4];
    char *names[4] = {"t0", "t1", "t2", "t3"};
    for (int k = 0; k < 4; ++k)
        need(pthread_create(&all[k], 0, writes_many, names[k]) == 0, "thread");
    for (int k = 0; k < 4; ++k)
        pthread_join(all[k], 0);
    bytes_written = 4 * 64000;
}

static void children(void) {
    int status;
    const int out = open("v", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    need(write(out, "1", 1) == 1, "write");
    if (vfork() == 0) {
        close(7);
        dup2(out, 1);
        write(out, "2", 1);
        execlp("echo", "echo", "from a child", (char *)0);
        _exit(8);
    }
    wait(&status);
    need(status == 0, "child");
    need(write(out, "3", 1) == 1, "write");
    bytes_written = 3; /* a child of vfork has our memory */
    if (fork() == 0) {
        write(out, "4567", 4);
        _exit(0);
    }
    wait(&status);
    need(lseek(out, 0, SEEK_CUR) == 20, "what all wrote");
}

/* As daemons do, and on with what is opened then. */
static void closes(void) {
    for (int k = 3; k < 2000; ++k)
        close(k);
    posix();
}

static void copies(void) {
    int from = open("a", O_RDWR | O_CREAT | O_TRUNC, 0600), to = open("b", O_RDWR | O_CREAT | O_TRUNC, 0600);
    TIMED(bytes_written, write(from, block, 40000));
    loff_t at = 0;
    const ssize_t copied = copy_file_range(from, &at, to, 0, 40000, 0);
    need(copied > 0 || errno == EXDEV || errno == EOPNOTSUPP || errno == ENOSYS, "copy_file_range");
    off_t begin = 0;
    const ssize_t sent = sendfile(to, from, &begin, 30000);
    need(sent == 30000, "sendfile");
    const long long moved = (copied > 0 ? copied : 0) + sent;
    bytes_written += moved, bytes_read += moved;
    close(from), close(to);
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "";
    const struct {
        const char *name;
        void (*does)(void);
    } ways[] = {{"posix", posix},     {"streams", streams},   {"exit", at_exit},    {"pipes", pipes},
                {"numbers", numbers}, {"handlers", handlers}, {"leap", leap},       {"cancel", cancel},
                {"threads", threads}, {"children", children}, {"closes", closes},   {"copies", copies}};
    for (unsigned k = 0; k < sizeof ways / sizeof *ways; ++k)
        if (strcmp(ways[k].name, way) == 0)
            ways[k].does();
    if (count > 2)
        printf("%lld %lld %lld\n", bytes_read, bytes_written, nanoseconds);
    return count > 1 ? 3 : 0;
}
