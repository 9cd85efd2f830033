//! Events of families of processors, as `docs/user/snapshot-counters.md` lists them with their sources.

use numawise_facts::activity::CounterEvent::{self, *};
use numawise_linux::counters::ProcessorName;

/// An event that a family of processors has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyEvent {
    pub event: CounterEvent,
    /// As the maker calls it.
    pub name: &'static str,
    /// In the source of its cores.
    pub config: u64,
}

/// Processors with the same events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorFamily {
    pub name: &'static str,
    pub events: &'static [FamilyEvent],
}

const fn event(event: CounterEvent, name: &'static str, config: u64) -> FamilyEvent {
    FamilyEvent { event, name, config }
}

/// The code of an event of x86: its number, its unit mask, and the least count in a cycle.
const fn x86(number: u64, unit: u64, least: u64) -> u64 {
    number | unit << 8 | least << 24
}

const fn fp(bits: u16, operations: u16) -> CounterEvent {
    FpInstructions { bits, operations }
}

/// FP_ARITH_INST_RETIRED tells precision and width apart. Both precisions of one number alone are asked for at once.
const INTEL_SCALAR: FamilyEvent = event(fp(64, 1), "FP_ARITH_INST_RETIRED.SCALAR", x86(0xc7, 0x03, 0));
const INTEL_128D: FamilyEvent =
    event(fp(128, 2), "FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE", x86(0xc7, 0x04, 0));
const INTEL_128S: FamilyEvent =
    event(fp(128, 4), "FP_ARITH_INST_RETIRED.128B_PACKED_SINGLE", x86(0xc7, 0x08, 0));
const INTEL_256D: FamilyEvent =
    event(fp(256, 4), "FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", x86(0xc7, 0x10, 0));
const INTEL_256S: FamilyEvent =
    event(fp(256, 8), "FP_ARITH_INST_RETIRED.256B_PACKED_SINGLE", x86(0xc7, 0x20, 0));
const INTEL_512D: FamilyEvent =
    event(fp(512, 8), "FP_ARITH_INST_RETIRED.512B_PACKED_DOUBLE", x86(0xc7, 0x40, 0));
const INTEL_512S: FamilyEvent =
    event(fp(512, 16), "FP_ARITH_INST_RETIRED.512B_PACKED_SINGLE", x86(0xc7, 0x80, 0));
const INTEL_LOCAL: FamilyEvent =
    event(LocalMemory, "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM", x86(0xd3, 0x01, 0));
const INTEL_REMOTE: FamilyEvent =
    event(RemoteMemory, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM", x86(0xd3, 0x02, 0));
const INTEL_STALLS: FamilyEvent =
    event(MemoryStallCycles, "CYCLE_ACTIVITY.STALLS_MEM_ANY", x86(0xa3, 0x14, 0x14));

const INTEL_WITH_STALLS: &[FamilyEvent] = &[
    INTEL_SCALAR,
    INTEL_128D,
    INTEL_128S,
    INTEL_256D,
    INTEL_256S,
    INTEL_512D,
    INTEL_512S,
    INTEL_STALLS,
    INTEL_LOCAL,
    INTEL_REMOTE,
];

const INTEL_WITH_SLOTS: &[FamilyEvent] = &[
    INTEL_SCALAR,
    INTEL_128D,
    INTEL_128S,
    INTEL_256D,
    INTEL_256S,
    INTEL_512D,
    INTEL_512S,
    event(Slots, "TOPDOWN.SLOTS_P", x86(0xa4, 0x01, 0)),
    event(MemoryBoundSlots, "TOPDOWN.MEMORY_BOUND_SLOTS", x86(0xa4, 0x10, 0)),
    INTEL_LOCAL,
    INTEL_REMOTE,
];

const ZEN2: &[FamilyEvent] = &[
    event(FpOperations, "fp_ret_sse_avx_ops.all", x86(0x03, 0xff, 0)),
    event(LocalMemory, "ls_refills_from_sys.ls_mabresp_lcl_dram", x86(0x43, 0x08, 0)),
    event(RemoteMemory, "ls_refills_from_sys.ls_mabresp_rmt_dram", x86(0x43, 0x40, 0)),
];

const ZEN3: &[FamilyEvent] = &[
    event(FpOperations, "fp_ret_sse_avx_ops.all", x86(0x03, 0xff, 0)),
    event(LocalMemory, "ls_any_fills_from_sys.mem_io_local", x86(0x44, 0x08, 0)),
    event(RemoteMemory, "ls_any_fills_from_sys.mem_io_remote", x86(0x44, 0x40, 0)),
];

const AMD_SCALAR: FamilyEvent =
    event(FpSteps { bits: 64 }, "fp_ops_retired_by_width.scalar_uops_retired", x86(0x08, 0x04, 0));
const AMD_128: FamilyEvent =
    event(FpSteps { bits: 128 }, "fp_ops_retired_by_width.pack_128_uops_retired", x86(0x08, 0x08, 0));
const AMD_256: FamilyEvent =
    event(FpSteps { bits: 256 }, "fp_ops_retired_by_width.pack_256_uops_retired", x86(0x08, 0x10, 0));
const AMD_512: FamilyEvent =
    event(FpSteps { bits: 512 }, "fp_ops_retired_by_width.pack_512_uops_retired", x86(0x08, 0x20, 0));
const AMD_NEAR: FamilyEvent = event(LocalMemory, "ls_any_fills_from_sys.dram_io_near", x86(0x44, 0x08, 0));
const AMD_FAR: FamilyEvent = event(RemoteMemory, "ls_any_fills_from_sys.dram_io_far", x86(0x44, 0x40, 0));

const AMD_WAITING: FamilyEvent = event(WaitingCycles, "ex_no_retire.not_complete", x86(0xd6, 0x02, 0));
const AMD_LOAD_WAITING: FamilyEvent =
    event(LoadWaitingCycles, "ex_no_retire.load_not_complete", x86(0xd6, 0xa2, 0));

/// From Zen 4 on; they differ in the kinds of operations that there are, and in how many are dispatched in a cycle.
const fn amd_by_width(kinds: u64, of_cycle: u8) -> [FamilyEvent; 10] {
    let all = event(FpOperations, "fp_ret_sse_avx_ops.all", x86(0x03, kinds, 0));
    // The upper bits of the number have a place of their own.
    let config = x86(0xa0, 0x1e, 0) | 1 << 32;
    let empty = event(BackendBoundSlots { of_cycle }, "de_no_dispatch_per_slot.backend_stalls", config);
    [all, AMD_SCALAR, AMD_128, AMD_256, AMD_512, empty, AMD_WAITING, AMD_LOAD_WAITING, AMD_NEAR, AMD_FAR]
}

const ZEN4: &[FamilyEvent] = &amd_by_width(0x1f, 6);
const ZEN5: &[FamilyEvent] = &amd_by_width(0x0f, 8);

const ARM_FIXED: FamilyEvent = event(FpOperations, "FP_FIXED_OPS_SPEC", 0x80c1);
const ARM_STALLS: FamilyEvent = event(MemoryStallCycles, "STALL_BACKEND_MEM", 0x4005);

const NEOVERSE_V1: &[FamilyEvent] =
    &[ARM_FIXED, event(FpOperationsPer128Bits { bits: 256 }, "FP_SCALE_OPS_SPEC", 0x80c0), ARM_STALLS];

const NEOVERSE_N2_V2: &[FamilyEvent] =
    &[ARM_FIXED, event(FpOperationsPer128Bits { bits: 128 }, "FP_SCALE_OPS_SPEC", 0x80c0), ARM_STALLS];

/// The family of a processor, where it is one whose events are known.
pub fn family(of: &ProcessorName) -> Option<ProcessorFamily> {
    let (name, events) = match (of.vendor.as_str(), of.family, of.model) {
        ("GenuineIntel", 6, 0x55) => ("Intel Skylake-SP or Cascade Lake", INTEL_WITH_STALLS),
        ("GenuineIntel", 6, 0x6a | 0x6c) => ("Intel Ice Lake-SP", INTEL_WITH_STALLS),
        ("GenuineIntel", 6, 0x8f | 0xcf) => ("Intel Sapphire or Emerald Rapids", INTEL_WITH_SLOTS),
        ("AuthenticAMD", 0x17, 0x30..=0xff) => ("AMD Zen 2", ZEN2),
        ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x2f | 0x40..=0x5f) => ("AMD Zen 3", ZEN3),
        ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x8f | 0xa0..=0xaf) => ("AMD Zen 4", ZEN4),
        ("AuthenticAMD", 0x1a, 0x00..=0xff) => ("AMD Zen 5", ZEN5),
        ("0x41", _, 0xd40) => ("Arm Neoverse V1", NEOVERSE_V1),
        ("0x41", _, 0xd49 | 0xd4f) => ("Arm Neoverse N2 or V2", NEOVERSE_N2_V2),
        _ => return None,
    };
    Some(ProcessorFamily { name, events })
}
