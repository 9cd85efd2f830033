#!/usr/bin/env bash
# One more field in the samples of perf_event_open makes the kernel pass over the period.
#
# Software: Linux 6.18 (the one that runs is asked).
#
# One would expect: sample_period says how often a sample is taken, sample_type what is in it. Page faults with a period
# of 100 give 10 samples for 1,000 faults, whatever is in them.
#
# What happens with 1,000 page faults and a period of 100:
#   PERF_SAMPLE_IP:                      10 samples
#   PERF_SAMPLE_IP | PERF_SAMPLE_ADDR:   10 samples
#   PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD: 1000 samples
# It is so for events that the kernel itself counts (page faults, context switches), and not for those of the processor.
# With the period asked for, each event is a sample, with its own count as its period.
#
# Why it matters: tools ask for the period as a matter of course, to weight samples by it. A sampler of page faults then
# costs a hundred times what its period was chosen for, its ring overflows, and samples that carry no weight count a
# hundredfold.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

compile program << 'END'
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int samples(uint64_t fields)
{
    const long page = sysconf(_SC_PAGESIZE), faults = 1000, pages = 16;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_PAGE_FAULTS,
        .sample_period = 100,
        .sample_type = fields,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (event < 0) {
        perror("perf_event_open");
        exit(1);
    }
    char *ring = mmap(0, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    char *memory = mmap(0, faults * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ring == MAP_FAILED || memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    madvise(memory, faults * page, MADV_NOHUGEPAGE);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    for (long k = 0; k < faults; k++)
        ((volatile char *)memory)[k * page] = 1;
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    struct perf_event_mmap_page *head = (struct perf_event_mmap_page *)ring;
    int found = 0;
    struct perf_event_header *record;
    for (uint64_t at = 0; at < head->data_head; at += record->size) {
        record = (struct perf_event_header *)(ring + page + at);
        found += record->type == PERF_RECORD_SAMPLE;
    }
    close(event);
    return found;
}

int main(void)
{
    printf("%d %d %d\n", samples(PERF_SAMPLE_IP), samples(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR),
           samples(PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD));
    return 0;
}
END
note "Linux $(uname -r); samples of 1,000 page faults with a period of 100"
bounded ./program > seen || fail "the kernel does not let us sample here (kernel.perf_event_paranoid, or a filter)"
read -r plain address period < seen
same "PERF_SAMPLE_IP" 10 "$plain"
same "PERF_SAMPLE_IP | PERF_SAMPLE_ADDR" 10 "$address"
same "PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD" 1000 "$period"
finish
