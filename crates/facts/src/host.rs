//! The host on which a program ran.

use numawise_units::Pid;
use serde::{Deserialize, Serialize};

use crate::{FrequencyFacts, Reading};

/// What is known of the host besides its topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    pub hostname: Reading<String>,
    pub kernel: Reading<String>,
    pub cpu_model: Reading<String>,
    /// Environment variables that steer threads, ranks and memory: [`crate::environment::KEPT`].
    pub environment: Vec<(String, String)>,
    pub numa_balancing: Reading<String>,
    pub transparent_huge_pages: Reading<String>,
    /// What sets the frequency of the CPUs, and within which limits.
    pub frequency: Reading<FrequencyFacts>,
    /// The process that keeps the record.
    pub pid: Pid,
}
