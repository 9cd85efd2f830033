//! What counters of the processors say of the program's own code.

use numawise_facts::Reading;
use numawise_units::{FlopsPerSecond, Ratio};

use super::RatedShare;

/// Figures of a process, or of all that count.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterFigures {
    /// Floating-point operations, over the elapsed time.
    pub flops: Reading<FlopsPerSecond>,
    /// Cycles that an instruction takes: no share, and may be above 1.
    #[doc(alias = "CPI")]
    pub cycles_per_instruction: RatedShare,
    /// Of the cycles, or of the pipeline's places, those that waited for memory.
    pub memory_bound: RatedShare,
    /// Of the floating-point instructions, those that compute several numbers at once.
    pub vector: RatedShare,
    /// Of the lines that came from memory, those of other nodes.
    pub remote_memory: RatedShare,
    /// Floating-point instructions by the bits of their registers, the narrowest first; 64 is one number alone.
    pub widths: Reading<Vec<(u16, Ratio)>>,
    /// How much of the time the counter was on that was on least: where it is below 1, there were more events than counters, and figures
    /// are estimates.
    pub on: Ratio,
}
