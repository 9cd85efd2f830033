//! Readers of machines: hwloc XML, synthetic descriptions, machine files of the test bed.

use numawise_emulate::EmulatedMachine;

use super::text;
use crate::{Read, Reader, sane, tree};

pub(crate) const READERS: [Reader; 3] = [
    Reader {
        name: "machine-xml",
        read: |input| {
            tree::with_file(input, "machine.xml", |path| {
                Read::of(numawise_machine::from_xml_file(path), sane::machine)
            })
        },
        corpus: &["testdata/machines", "testdata/bad-machines"],
        words: &[
            "<object type=\"PU\" os_index=\"3\" cpuset=\"0x8\" complete_cpuset=\"0x8\" gp_index=\"99\"/>",
            "<object type=\"NUMANode\"",
            " os_index=\"0\"",
            " cpuset=\"0xf...f\"",
            " nodeset=\"0x1\"",
            "os_index",
            "PU",
            "NUMANode",
            "Package",
            "Core",
            "Machine",
            "Group",
            " local_memory=\"18446744073709551615\"",
            "0xffffffff",
            "<!DOCTYPE a [<!ENTITY a \"&b;&b;&b;\"><!ENTITY b \"x\">]>",
            "<memattr name=\"Bandwidth\" flags=\"5\">",
            "<distances2 type=\"NUMANode\" nbobjs=\"2\" kind=\"5\" indexing=\"os\">",
            "</object>",
            "<u64values length=\"3\">1 2 3",
        ],
        inputs: 700,
    },
    Reader {
        name: "synthetic",
        read: |input| {
            let words = text(input);
            Read::of(numawise_machine::from_synthetic(&words), sane::machine)
        },
        corpus: &["crates/hostile/testdata/synthetic"],
        words: &[
            "pack:",
            "node:",
            "core:",
            "pu:",
            "numa:",
            "l3:",
            "(memory=1GB)",
            "(indexes=",
            "[numa]",
            "[",
            "]",
            "(",
            ")",
            " ",
            "group:",
            "die:",
            "(size=",
            "*",
        ],
        inputs: 500,
    },
    Reader {
        name: "emulated-machine",
        read: |input| Read::of(EmulatedMachine::parse("hostile", &text(input)), |_| None),
        corpus: &["testbed/machines"],
        words: &[
            "[[node]]",
            "cpus = [",
            "memory_mib = ",
            "[[hmat]]",
            "[timing]",
            "nan",
            "[",
            "]",
            "initiator = 9",
        ],
        inputs: 600,
    },
];
