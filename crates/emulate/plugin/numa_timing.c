// Gives an emulated machine the timing of a NUMA machine: a plugin for QEMU 7.2's TCG (plugin interface 1).
//
// A user-space access that the model of the vCPU's cache does not hold is charged to the memory node of its physical
// page: latency when no prefetcher would have seen it coming, and a line's worth of three bandwidths, those of the
// core, the node, and the link between them. The vCPU sleeps its debt off in real time, so that the guest's own clock
// shows it. Everything is stretched by `scale`: waiting must dominate the emulator's slowness.
//
// It knows: cache lines, nodes, links. It does not know: processes, cache coherence, DRAM pages, out-of-order cores
// (a core has one miss outstanding), the kernel's own accesses (free of charge).
//
// Argument: machine=FILE, the plain text that the Rust side writes (src/timing.rs has the grammar). Nothing is
// charged or counted before the first mark; a mark is the instruction `nopl 0x414d554e(%rax,%rax)` (src/mark.rs),
// and at each one the counts so far go to the truth file.
#include "qemu_plugin_api.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    LINE_BITS = 6,
    LINE_BYTES = 1 << LINE_BITS,
    MAX_NODES = 64,
    MAX_CPUS = 256,
    MAX_RANGES = 64,
    FILTER = 256,    // lines of the cheap filter before the cache model: 16 KiB, well inside any cache modelled
    STREAMS = 32,    // sequences one core's prefetcher follows; Intel documents 32 for its L2 streamer
    RING = 8192,     // windows a bandwidth server remembers: at least half a second
    SLEEP_NS = 300000,     // smaller debts are carried on: a sleep costs some 60 us of wake-up; times scale / 1000 above that
    LATE_MAX_NS = 4000000, // how much oversleeping is given back to the core as credit; the same
    SLACK_NS = 100000,     // computing this long between two misses overlaps with them
    WINDOW_NS = 64000,     // least length of a bandwidth window
    WINDOW_LINES = 16,     // and the least number of lines in one
    OUTSIDE = MAX_NODES,   // where accesses to no node's memory (ROM, video) are counted
};

// A resource with a bandwidth. Time is cut into windows, each with room for so many lines; a line takes the first room
// at or after its time. So cores whose clocks differ by a sleep can still share what the other left free, which one
// "next free at" time would not allow. Who comes to a window late finds what room is left at the speed of its own core: if
// its lines had to follow those of the core that was there before, a tenth of the bandwidth would be lost to the order.
struct server {
    uint64_t line_ns, window_ns;
    uint32_t lines;                  // room in a window
    _Atomic uint64_t window[RING];   // number of the window << 16 | lines taken in it
};

struct path {
    uint64_t latency_ns;
    struct server *link;  // NULL: no link in the way
};

// The lines last touched, in front of the cache model: nearly all accesses end here, so nothing else is in the way of the
// host's own cache. An entry is `line << 1 | written`; no user-space line is as high as NO_LINE.
struct filter { uint64_t known[FILTER]; };

static const uint64_t NO_LINE = UINT64_MAX >> 2;

// Only the thread of its own vCPU touches a core, but for the counts, which a mark on any vCPU reads.
struct core {
    uint64_t *cache;           // (physical line + 1) << 1 | written, sets x ways, most recently used first
    uint64_t stream[STREAMS];  // virtual lines, most recently used first
    const struct range *range; // where the last address was
    uint64_t cursor_ns, grace_ns;
    bool quick_timers;
    int node;
    _Atomic uint64_t missed[MAX_NODES + 1], written[MAX_NODES + 1], exposed[MAX_NODES];
    _Atomic uint64_t slept_ns, lost_ns;
} __attribute__((aligned(64)));

struct range { uint64_t first, end; int node; };

static struct filter filters[MAX_CPUS] __attribute__((aligned(64)));  // virtual lines
static struct core *cores;
static struct range ranges[MAX_RANGES];
static struct server *node_server[MAX_NODES];
static struct path paths[MAX_NODES][MAX_NODES];
static int cpus, nodes, range_count, ways = 8;
static uint64_t sets = 512, core_line_ns;
static int set_bits = 9;  // sets is 1 << set_bits, or -1
static int store_bit;     // of what QEMU says of an access
static double scale = 1000;
static uint64_t sleep_ns = SLEEP_NS, late_max_ns = LATE_MAX_NS;
static _Atomic bool charging;
static FILE *truth;
static int marks;
static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// A count has one writer: no locked instruction is needed.
static void add(_Atomic uint64_t *count, uint64_t n)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n, memory_order_relaxed);
}

static struct server *new_server(double gbps)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->line_ns = (uint64_t)(LINE_BYTES / gbps * scale + 0.5);
    if (!s->line_ns) s->line_ns = 1;
    uint64_t lines = WINDOW_NS / s->line_ns;
    s->lines = (uint32_t)later(lines > 60000 ? 60000 : lines, WINDOW_LINES);
    s->window_ns = s->lines * s->line_ns;
    return s;
}

// The time at which a line asked for at `from` is through. The counts carry no other data: relaxed order is enough.
static uint64_t serve(struct server *s, uint64_t from)
{
    uint64_t number = from / s->window_ns;
    for (;;) {
        _Atomic uint64_t *window = &s->window[number % RING];
        uint64_t seen = atomic_load_explicit(window, memory_order_relaxed);
        uint64_t taken = seen >> 16 == number ? seen & 0xffff : 0;
        if (seen >> 16 > number || taken >= s->lines) {
            number++;
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(window, &seen, number << 16 | (taken + 1),
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        return later(from, number * s->window_ns) + s->line_ns;
    }
}

static bool holds(const struct range *range, uint64_t address)
{
    return address - range->first < range->end - range->first;
}

static int node_of(struct core *core, uint64_t address)
{
    if (holds(core->range, address)) return core->range->node;
    for (int k = 0; k < range_count; k++)
        if (holds(&ranges[k], address)) return (core->range = &ranges[k])->node;
    return OUTSIDE;
}

static uint64_t set_of(uint64_t line)
{
    return set_bits < 0 ? (line ^ line / sets) % sets : (line ^ line >> set_bits) & (sets - 1);
}

// Whether the cache held the line. If not, it does now, and `evicted` is a line that must be written back, or 0.
// Each way moves back by one on the way to the line, or to the end.
static bool cached(struct core *core, uint64_t line, bool store, uint64_t *evicted)
{
    uint64_t *set = core->cache + set_of(line) * (uint64_t)ways;
    uint64_t tag = (line + 1) << 1, moved = tag;
    bool hit = false;
    for (int k = 0; k < ways && !hit; k++) {
        uint64_t here = set[k];
        set[k] = moved;
        moved = here;
        hit = (here ^ tag) <= 1;
    }
    set[0] = (hit ? moved : tag) | store;
    *evicted = !hit && moved & 1 ? moved >> 1 : 0;
    return hit;
}

// Whether a prefetcher that follows neighbouring lines, up or down, would have asked for this line before.
static bool foreseen(struct core *core, uint64_t line)
{
    bool found = false;
    uint64_t moved = line;
    for (int k = 0; k < STREAMS && !found; k++) {
        uint64_t last = core->stream[k];
        core->stream[k] = moved;
        moved = last;
        found = line - last + 2 <= 4 && line != last;
    }
    return found;
}

static void sleep_until(struct core *core, uint64_t until)
{
    if (!core->quick_timers) {  // else the kernel may wake this thread 50 us late to save power
        prctl(PR_SET_TIMERSLACK, 1);
        core->quick_timers = true;
    }
    uint64_t before = now_ns();
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
    uint64_t after = now_ns(), late = after > until ? after - until : 0;
    core->grace_ns = SLACK_NS + (late < late_max_ns ? late : late_max_ns);
    add(&core->slept_ns, after - before);
    if (late > late_max_ns) add(&core->lost_ns, late - late_max_ns);
}

static void charge(struct core *core, int node, uint64_t vline, uint64_t evicted)
{
    uint64_t real = now_ns();
    if (real > core->cursor_ns + core->grace_ns) {
        core->cursor_ns = real;
        core->grace_ns = SLACK_NS;
    }
    uint64_t from = core->cursor_ns, done = from + core_line_ns;
    struct path *path = &paths[core->node][node];
    done = later(done, serve(node_server[node], from));
    if (path->link) done = later(done, serve(path->link, from));
    if (!foreseen(core, vline)) {
        done = later(done, from + path->latency_ns);
        add(&core->exposed[node], 1);
    }
    if (evicted) {  // nobody waits for a write-back, but it takes its share of the bandwidths
        int home = node_of(core, (evicted - 1) << LINE_BITS);
        add(&core->written[home], 1);
        if (home != OUTSIDE) {
            serve(node_server[home], from);
            if (paths[core->node][home].link) serve(paths[core->node][home].link, from);
        }
    }
    core->cursor_ns = done;
    if (done > real + sleep_ns) sleep_until(core, done);
}

// An access that the filter does not end.
__attribute__((noinline)) static void look_up(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t *known)
{
    if (vaddr >> 63 || cpu >= (unsigned)cpus) return;
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
    if (!where || qemu_plugin_hwaddr_is_io(where)) return;
    struct core *core = &cores[cpu];
    uint64_t vline = vaddr >> LINE_BITS, store = info >> store_bit & 1;
    *known = vline << 1 | store;
    uint64_t address = qemu_plugin_hwaddr_phys_addr(where), evicted;
    if (cached(core, address >> LINE_BITS, store, &evicted)) return;
    int node = node_of(core, address);
    add(&core->missed[node], 1);
    if (node != OUTSIDE) charge(core, node, vline, evicted);
}

// Called for each access: some 19 of 20 find their line known, in a dozen instructions.
static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
    (void)unused;
    uint64_t vline = vaddr >> LINE_BITS, store = info >> store_bit & 1;
    uint64_t *known = &filters[cpu % MAX_CPUS].known[(vline ^ vline >> 8 ^ vline >> 16) % FILTER];
    uint64_t other = *known ^ vline << 1;  // 0: it was read, 1: it was written to
    if (__builtin_expect(other > 1 || other < store, 0)) look_up(cpu, info, vaddr, known);
}

// One block of lines per mark, for the reader in src/truth.rs.
static void write_truth(const char *title)
{
    if (!truth) return;
    fprintf(truth, "mark %d %s\n", marks++, title);
    for (int c = 0; c < cpus; c++) {
        for (int n = 0; n <= MAX_NODES; n++) {
            unsigned long missed = atomic_load_explicit(&cores[c].missed[n], memory_order_relaxed);
            unsigned long written = atomic_load_explicit(&cores[c].written[n], memory_order_relaxed);
            unsigned long exposed =
                n < MAX_NODES ? atomic_load_explicit(&cores[c].exposed[n], memory_order_relaxed) : 0;
            if (!missed && !written) continue;
            if (n == OUTSIDE) fprintf(truth, "outside %d %lu %lu\n", c, missed, written);
            else fprintf(truth, "lines %d %d %lu %lu %lu\n", c, n, missed, exposed, written);
        }
        unsigned long slept = atomic_load_explicit(&cores[c].slept_ns, memory_order_relaxed);
        unsigned long lost = atomic_load_explicit(&cores[c].lost_ns, memory_order_relaxed);
        if (slept) fprintf(truth, "slept %d %lu %lu\n", c, slept, lost);
    }
    struct timespec computed;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &computed);
    fprintf(truth, "computed %lu\n", (unsigned long)computed.tv_sec * 1000000000u + (unsigned long)computed.tv_nsec);
    fprintf(truth, "end\n");
    fflush(truth);
}

static void on_mark(unsigned cpu, void *unused)
{
    (void)cpu, (void)unused;
    pthread_mutex_lock(&truth_lock);
    write_truth("in-guest");
    atomic_store_explicit(&charging, true, memory_order_relaxed);
    pthread_mutex_unlock(&truth_lock);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    static const unsigned char mark[8] = {0x0f, 0x1f, 0x84, 0x00, 'N', 'U', 'M', 'A'};
    bool on = atomic_load_explicit(&charging, memory_order_relaxed);
    size_t count = qemu_plugin_tb_n_insns(tb);
    for (size_t k = 0; k < count; k++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, k);
        if (qemu_plugin_insn_vaddr(insn) >> 63) return;  // the kernel: a block does not cross into user space
        if (qemu_plugin_insn_size(insn) == sizeof mark && !memcmp(qemu_plugin_insn_data(insn), mark, sizeof mark))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (on)
            qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void on_exit_write(qemu_plugin_id_t id, void *unused)
{
    (void)id, (void)unused;
    pthread_mutex_lock(&truth_lock);
    write_truth("exit");
    if (truth) fclose(truth);
    truth = NULL;
    pthread_mutex_unlock(&truth_lock);
}

static bool fail(const char *file, int line, const char *why)
{
    fprintf(stderr, "numa_timing: %s:%d: %s\n", file, line, why);
    return false;
}

// One line of the description; the text was written by a program that has checked the machine already.
static const char *describe(char *text)
{
    char truth_path[4096];
    double gbps, other;
    unsigned long first, end;
    int a, b;
    if (sscanf(text, "scale %lf", &scale) == 1) {
        if (!(scale > 0)) return "scale must be above zero";
        // As fine as at 1000 by the clock of the machine: a busy host, which wakes late, then disturbs less.
        double coarser = scale > 1000 ? scale / 1000 : 1;
        sleep_ns = (uint64_t)(SLEEP_NS * coarser);
        late_max_ns = (uint64_t)(LATE_MAX_NS * coarser);
        return NULL;
    }
    if (sscanf(text, "core %lf", &gbps) == 1) {
        core_line_ns = (uint64_t)(LINE_BYTES / gbps * scale + 0.5);
        return NULL;
    }
    if (sscanf(text, "cache %d %d", &a, &b) == 2) {
        sets = (uint64_t)a, ways = b;
        set_bits = a & (a - 1) ? -1 : __builtin_ctz((unsigned)a);
        return a > 0 && b > 0 ? NULL : "a cache needs sets and ways";
    }
    if (sscanf(text, "cpu %d %d", &a, &b) == 2) {
        if (a != cpus || a >= MAX_CPUS || b < 0 || b >= MAX_NODES) return "CPUs must come in order, their nodes known";
        if (!cores && !(cores = aligned_alloc(64, MAX_CPUS * sizeof *cores))) return "no memory";
        memset(&cores[a], 0, sizeof *cores);
        cores[a].node = b;
        cores[a].range = ranges;
        for (int k = 0; k < STREAMS; k++) cores[a].stream[k] = NO_LINE;
        for (int k = 0; k < FILTER; k++) filters[a].known[k] = NO_LINE << 1;
        if (!(cores[a].cache = calloc(sets * (uint64_t)ways, sizeof *cores[a].cache))) return "no memory";
        cpus++;
        return NULL;
    }
    if (sscanf(text, "node %d %lf", &a, &gbps) == 2) {
        if (a < 0 || a >= MAX_NODES || !(gbps > 0)) return "a node needs a number and a bandwidth";
        node_server[a] = new_server(gbps);
        nodes = a >= nodes ? a + 1 : nodes;
        return NULL;
    }
    if (sscanf(text, "range %d %lx %lx", &a, &first, &end) == 3) {
        if (range_count == MAX_RANGES || a < 0 || a >= nodes || !node_server[a]) return "a range needs its node first";
        ranges[range_count++] = (struct range){.first = first, .end = end, .node = a};
        return NULL;
    }
    if (sscanf(text, "path %d %d %lf %lf", &a, &b, &other, &gbps) == 4) {
        if (a < 0 || a >= MAX_NODES || b < 0 || b >= MAX_NODES) return "a path joins two nodes";
        paths[a][b].latency_ns = (uint64_t)(other * scale + 0.5);
        paths[a][b].link = gbps > 0 ? new_server(gbps) : NULL;
        return NULL;
    }
    if (sscanf(text, "truth %4095[^\n]", truth_path) == 1)
        return (truth = fopen(truth_path, "w")) ? NULL : "cannot write the truth file";
    return "not understood";
}

static bool read_machine(const char *path)
{
    char text[8192];
    int line = 1;
    FILE *file = fopen(path, "r");
    if (!file) return fail(path, 0, strerror(errno));
    if (!fgets(text, sizeof text, file) || strcmp(text, "numa-timing 1\n"))
        return fclose(file), fail(path, line, "expected the heading `numa-timing 1`");
    bool ended = false;
    while (!ended && fgets(text, sizeof text, file)) {
        line++;
        ended = !strcmp(text, "end\n");
        const char *why = ended ? NULL : describe(text);
        if (why) return fclose(file), fail(path, line, why);
    }
    fclose(file);
    if (!ended) return fail(path, line, "the file ends before its `end`");
    return cpus && range_count && core_line_ns ? true : fail(path, line, "no CPU, no memory or no core bandwidth");
}

// A call of QEMU for each access only to learn whether it is a store would cost as much as all else: the bit is looked for once.
static bool find_store_bit(void)
{
    int bits = 0;
    for (int k = 0; k < 32; k++)
        if (qemu_plugin_mem_is_store(1u << k)) store_bit = k, bits++;
    return bits == 1 && !qemu_plugin_mem_is_store(~(1u << store_bit));
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
                                                               char **argv)
{
    (void)info;
    const char *path = NULL;
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], "machine=", 8)) path = argv[i] + 8;
    if (!path) return fprintf(stderr, "numa_timing: the argument machine=FILE is missing\n"), -1;
    if (!read_machine(path)) return -1;
    if (!find_store_bit())
        return fprintf(stderr, "numa_timing: this QEMU says that an access is a store in another way than 7.2 does\n"), -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_write, NULL);
    return 0;
}
