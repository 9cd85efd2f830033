//! Golden: what is read from recorded machines, and from descriptions of our own, stays what a person checked.
//!
//! `NUMAWISE_BLESS=1` writes the expectations anew; look at the difference before you keep it. Recorded machines of other
//! projects are looked for in `$NUMAWISE_MACHINES`, then beside the repository in `../shared/machines`; where they are
//! missing, that test says so and skips.

use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Machine, Reading};
use numawise_units::CpuSet;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn recorded() -> Option<PathBuf> {
    let named = std::env::var_os("NUMAWISE_MACHINES").map(PathBuf::from);
    let directory = named.unwrap_or_else(|| repository().join("../shared/machines"));
    directory.is_dir().then_some(directory)
}

/// All XML files of a directory, sorted.
fn xml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    files
}

/// What a person checks, line by line.
fn summary(machine: &Machine) -> String {
    let mut text = String::new();
    for package in &machine.packages {
        writeln!(text, "package {}: {}", package.index, package.cpus).unwrap();
    }
    for node in &machine.nodes {
        let bytes = match &node.memory {
            Reading::Measured(bytes) => bytes.0.to_string(),
            Reading::Unavailable { .. } => "?".to_owned(),
        };
        let distances = match &node.distances {
            Reading::Measured(row) => row.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
            Reading::Unavailable { .. } => "?".to_owned(),
        };
        let (id, kind) = (node.id, node.kind);
        writeln!(text, "node {id}: {kind}, {bytes} bytes, cpus {}, near {}", node.cpus, node.near).unwrap();
        writeln!(text, "  kind derived from: {:?}", node.kind_evidence).unwrap();
        writeln!(text, "  distances: {distances}").unwrap();
    }
    let first: CpuSet = machine.cpus.iter().filter(|cpu| cpu.smt == 0).map(|cpu| cpu.id).collect();
    writeln!(text, "online: {}", machine.online()).unwrap();
    writeln!(text, "cores: {}, whose first threads are {first}", first.len()).unwrap();
    for level in 1..=5 {
        let caches = machine.caches.iter().filter(|cache| cache.level == level);
        let sizes: Vec<u64> = caches.map(|cache| cache.size.0).collect();
        if let Some(size) = sizes.first() {
            writeln!(text, "L{level} caches: {} (the first of {size} bytes)", sizes.len()).unwrap();
        }
    }
    let faster: CpuSet = machine
        .cpus
        .iter()
        .filter(|cpu| cpu.efficiency.measured().is_some_and(|rank| *rank > 0))
        .map(|cpu| cpu.id)
        .collect();
    writeln!(text, "cores of faster kinds: {faster}").unwrap();
    writeln!(text, "firmware figures: {}", machine.attributes.len()).unwrap();
    writeln!(text, "allowed: cpus {}, nodes {}", machine.allowed_cpus, machine.allowed_nodes).unwrap();
    for device in machine.known_devices() {
        let near = match &device.locality {
            Reading::Measured(near) => format!("near nodes {}, cpus {}", near.nodes, near.cpus),
            Reading::Unavailable { unavailable } => unavailable.to_string(),
        };
        let address = device.pci.map_or("?".to_owned(), |address| address.to_string());
        writeln!(text, "{} at {address} ({}): {near}", device.name(), device.names.join(" ")).unwrap();
    }
    for limit in &machine.limits {
        writeln!(text, "limit {}: {limit:?}", limit.code()).unwrap();
    }
    text
}

fn compare(name: &str, machine: &Machine, failures: &mut Vec<String>) {
    let file = repository().join(format!("testdata/golden/machines/{name}.txt"));
    let found = summary(machine);
    if std::env::var_os("NUMAWISE_BLESS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    match fs::read_to_string(&file) {
        Ok(expected) if expected == found => {}
        Ok(expected) => failures.push(format!("{name}:\n--- expected\n{expected}--- found\n{found}")),
        Err(error) => failures.push(format!("{name}: {}: {error}", file.display())),
    }
}

fn all_as_expected(files: &[PathBuf]) {
    assert!(!files.is_empty(), "there must be machines to compare");
    let mut failures = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        match numawise_machine::from_xml_file(file) {
            Ok(machine) => compare(&name, &machine, &mut failures),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn recorded_machines_are_read_as_checked() {
    let Some(directory) = recorded() else {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no recorded machines; set NUMAWISE_MACHINES to the directory that holds them"
        );
        return;
    };
    all_as_expected(&xml_files(&directory));
}

#[test]
fn machines_of_our_own_are_read_as_checked() {
    all_as_expected(&xml_files(&repository().join("testdata/machines")));
}

#[test]
fn synthetic_descriptions_are_read_as_checked() {
    let list = fs::read_to_string(repository().join("testdata/machines/synthetic.txt")).unwrap();
    let mut failures = Vec::new();
    let mut count = 0;
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (name, words) = line.split_once(' ').expect("a name and a description");
        match numawise_machine::from_synthetic(words.trim()) {
            Ok(machine) => compare(&format!("synthetic-{name}"), &machine, &mut failures),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
        count += 1;
    }
    assert!(count >= 5, "only {count} descriptions");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every machine that can be read is one that the rest of the program can rely on.
#[test]
fn invariants_hold_for_all_machines() {
    let mut files = xml_files(&repository().join("testdata/machines"));
    files.extend(recorded().map(|directory| xml_files(&directory)).unwrap_or_default());
    for file in files {
        let machine = numawise_machine::from_xml_file(&file).unwrap();
        let name = file.display();
        assert!(machine.nodes.is_sorted_by_key(|node| node.id), "{name}");
        assert!(machine.cpus.is_sorted_by_key(|cpu| cpu.id), "{name}");
        let mut owned = CpuSet::new();
        for node in &machine.nodes {
            assert!(!owned.intersects(&node.cpus), "{name}: two nodes own a CPU");
            owned = owned.union(&node.cpus);
            assert!(node.cpus.is_subset(&node.near), "{name}: node {} is not near to its own CPUs", node.id);
            assert!(node.kind_evidence != MemoryKindEvidence::NotRead, "{name}: node {}", node.id);
            if let Reading::Measured(row) = &node.distances {
                assert_eq!(row.len(), machine.nodes.len(), "{name}");
            }
        }
        for cpu in &machine.cpus {
            let owner = machine.nodes.iter().find(|node| node.cpus.contains(cpu.id));
            assert_eq!(cpu.node, owner.map(|node| node.id), "{name}: CPU {}", cpu.id);
        }
        assert!(machine.allowed_cpus.is_subset(&machine.online()), "{name}");
        let cores: CpuSet = machine.cpus.iter().filter(|cpu| cpu.smt == 0).map(|cpu| cpu.id).collect();
        let numbers: std::collections::BTreeSet<u32> = machine.cpus.iter().map(|cpu| cpu.core).collect();
        assert_eq!(cores.len(), numbers.len(), "{name}: a core without a first thread");
    }
}
