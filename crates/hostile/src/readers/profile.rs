//! Readers of profiles: our JSON, and the text of Intel's Memory Latency Checker.

use crate::{Read, Reader, sane, tree};

fn profile(input: &[u8]) -> Read {
    tree::with_file(input, "profile", |path| Read::of(numawise_profiles::read_profile(path), sane::profile))
}

pub(crate) const READERS: [Reader; 2] = [
    Reader {
        name: "profile-json",
        read: profile,
        corpus: &["testdata/records/profile-version-1.json"],
        words: &[
            "\"measured\":",
            "\"unavailable\":",
            "null",
            "{}",
            "[]",
            "\"latency\":",
            "\"median\":",
            "1e999",
            "\"node\":0",
            "\"local\"",
            "true",
            "\"schema\":",
            "\"numawise/profile/1\"",
            "\"cpus\":\"0-4000000000\"",
        ],
        inputs: 1500,
    },
    Reader {
        name: "mlc-text",
        read: profile,
        corpus: &["testdata/mlc", "testdata/bad-profiles"],
        words: &[
            "Measuring idle latencies (in ns)...\n",
            "Numa node\t0\t1\n",
            "  0 81.3 131.1\n",
            "Measuring Loaded Latencies",
            "ALL Reads        :\t1.0",
            "Using buffer size of ",
            "1e300.0",
            "0.0",
            "-",
            "Socket",
            "Command line parameters: -W3",
            "Local Socket L2->L2 HITM latency\t45.7",
        ],
        inputs: 1500,
    },
];
