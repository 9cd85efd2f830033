// Processes: forked workers, pipes, files that are mapped, and a program that starts another.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

enum { BUFFER = 65536 };

struct segment { const struct job *job; unsigned char *memory; };

static void private_work(int k, void *shared)
{
    const struct job *job = shared;
    (void)k;
    size_t bytes = part(NULL, job->bytes, 0, job->threads).bytes;
    unsigned char *memory = private_memory(bytes);
    touch(memory, bytes);
    sweep(memory, bytes, job->rounds);
    if (job->check && !swept(memory, bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

static void forked_private(const struct job *job) { in_processes(job->threads, private_work, (void *)job); }

static void segment_work(int k, void *shared)
{
    struct segment *segment = shared;
    struct part own = part(segment->memory, segment->job->bytes, k, segment->job->threads);
    sweep(own.memory, own.bytes, segment->job->rounds);
}

static void forked_shared(const struct job *job)
{
    struct segment segment = {job, shared_memory(job->bytes)};
    touch(segment.memory, job->bytes);
    in_processes(job->threads, segment_work, &segment);
    if (job->check && !swept(segment.memory, job->bytes, job->rounds)) wrong("lines were not swept as often as asked");
}

// Whatever comes through the pipe was read by the kernel from one buffer and is written to another.
static void pipe_work(int k, void *shared)
{
    const struct job *job = ((struct segment *)shared)->job;
    int *ends = (int *)((struct segment *)shared)->memory;
    close(ends[1 - k]);
    unsigned char *buffer = private_memory(BUFFER);
    size_t left = job->bytes * (size_t)job->rounds;
    for (long n = 1; left; n++) {
        ssize_t done;
        if (k == 1) {
            sweep(buffer, BUFFER, 1);
            done = write(ends[1], buffer, BUFFER);
        } else {
            done = read(ends[0], buffer, BUFFER);
            sweep_reading(buffer, BUFFER, 1);
        }
        if (done <= 0 || (size_t)done > left) wrong("the pipe ended early, or late");
        left -= (size_t)done;
    }
}

static void pipe_case(const struct job *job)
{
    int ends[2];
    if (pipe(ends)) fail("pipe");
    // As far as it is let: whole buffers then come through at once.
    (void)fcntl(ends[1], F_SETPIPE_SZ, 4 * BUFFER);
    struct segment segment = {job, (unsigned char *)ends};
    in_processes(2, pipe_work, &segment);
}

static void mapped(const struct job *job)
{
    int file = job->rest[0] ? open(job->rest[0], O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail("mapped: the file");
    if ((size_t)status.st_size < job->bytes) wrong("the file is smaller than asked for");
    unsigned char *memory = mmap(NULL, job->bytes, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) fail("mmap of the file");
    pin_by_hand(0);
    sweep_reading(memory, job->bytes, job->rounds);
}

// Starts a command and waits for it, as launchers and wrappers do.
static void spawn(const struct job *job)
{
    if (!job->rest[0]) wrong("spawn: a command was expected");
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (!child) {
        execvp(job->rest[0], job->rest);
        fail(job->rest[0]);
    }
    int status;
    if (waitpid(child, &status, 0) < 0 || status) wrong("the command did not end well");
}

const struct entry process_cases[] = {
    {"forked-private", "forked processes, each touches and sweeps memory of its own", forked_private},
    {"forked-shared", "forked processes sweep parts of a segment that their parent touched", forked_shared},
    {"pipe", "a process fills a pipe, another one empties it", pipe_case},
    {"mapped", "one thread sums a mapped file (FILE)", mapped},
    {"spawn", "starts a command (COMMAND...) and waits for it", spawn},
    {0},
};
