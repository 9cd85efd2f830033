// Lets the plugin see accesses from a file instead of QEMU's, for its tests: the counts must be those of a plain model.
//
//   replay MACHINE TRACE [odd]     the plugin writes its counts to the truth file that MACHINE names
//
// A line of TRACE is `CPU r VIRTUAL PHYSICAL`, `CPU w VIRTUAL PHYSICAL` (hexadecimal addresses; physical `io`: of a device,
// `none`: QEMU does not know) or `mark`. With `odd` this is a QEMU that marks stores in two ways.
#include "numa_timing.c"

struct qemu_plugin_hwaddr { bool known, is_device; uint64_t physical; };

static struct qemu_plugin_hwaddr where;
static qemu_plugin_exit_cb at_exit;
static uint32_t stores = 1u << 17;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb call) { (void)id, (void)call; }
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb call, void *data)
{
    (void)id, (void)data;
    at_exit = call;
}
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *i, qemu_plugin_insn_cb c, int r, void *d)
{
    (void)i, (void)c, (void)r, (void)d;
}
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *i, qemu_plugin_mem_cb c, int r, int w, void *d)
{
    (void)i, (void)c, (void)r, (void)w, (void)d;
}
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb) { return (void)tb, 0; }
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t k) { return (void)tb, (void)k, NULL; }
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn) { return (void)insn, 0; }
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn) { return (void)insn, 0; }
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn) { return (void)insn, NULL; }

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info) { return info & stores; }
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address)
{
    (void)info, (void)address;
    return where.known ? &where : NULL;
}
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address) { return address->is_device; }
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address) { return address->physical; }

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    char machine[4096], line[256], physical[64], kind;
    if (argc > 3) stores |= 1u << 20;
    snprintf(machine, sizeof machine, "machine=%s", argv[1]);
    if (qemu_plugin_install(1, NULL, 1, (char *[]){machine})) return 1;
    FILE *trace = fopen(argv[2], "r");
    if (!trace) return 2;
    while (fgets(line, sizeof line, trace)) {
        unsigned cpu;
        unsigned long address;
        if (!strcmp(line, "mark\n")) {
            on_mark(0, NULL);
            continue;
        }
        if (sscanf(line, "%u %c %lx %63s", &cpu, &kind, &address, physical) != 4) return 3;
        where.known = strcmp(physical, "none");
        where.is_device = !strcmp(physical, "io");
        where.physical = strtoul(physical, NULL, 16);
        on_access(cpu, kind == 'w' ? 1u << 17 | 3 : 1u << 16 | 3, address, NULL);
    }
    fclose(trace);
    at_exit(1, NULL);
    return 0;
}
