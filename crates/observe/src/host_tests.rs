use super::*;
use crate::fixture::Tree;

fn read(tree: &Tree, environment: &[(&str, &str)]) -> HostFacts {
    let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    facts_with(&tree.roots(), environment)
}

#[test]
fn everything_there() {
    let tree = Tree::new();
    for (name, text) in [
        ("proc/sys/kernel/hostname", "node17\n"),
        ("proc/sys/kernel/osrelease", "6.8.0\n"),
        ("proc/sys/kernel/numa_balancing", "1\n"),
        (
            "proc/cpuinfo",
            "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some CPU @ 2.0 GHz: fast\n\nprocessor\t: 1\n",
        ),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
        ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
    ] {
        tree.write(name, text);
    }
    let facts = read(
        &tree,
        &[("PATH", "/bin"), ("OMP_PROC_BIND", "true"), ("LD_PRELOAD", "x.so"), ("COMP_OMP_", "")],
    );
    let text = |text: &str| Reading::Measured(text.to_owned());
    assert_eq!(facts.hostname, text("node17"));
    assert_eq!(facts.kernel, text("6.8.0"));
    assert_eq!(facts.cpu_model, text("Some CPU @ 2.0 GHz: fast"));
    assert_eq!(facts.numa_balancing, text("1"));
    assert_eq!(facts.transparent_huge_pages, text("madvise"));
    let policies = &facts.frequency.measured().unwrap().policies;
    let governors: Vec<_> = policies.iter().map(|of| (of.cpus.to_string(), of.governor.clone())).collect();
    let expected = [("0,2".to_owned(), text("performance")), ("1".to_owned(), text("powersave"))];
    assert_eq!(governors, expected);
    let names: Vec<&str> = facts.environment.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["LD_PRELOAD", "OMP_PROC_BIND"]);
    assert_eq!(facts.pid.0 as u32, std::process::id());
}

#[test]
fn nothing_there_is_unavailable_with_a_reason() {
    let facts = read(&Tree::new(), &[]);
    for (reading, reason) in [
        (&facts.hostname, "hostname"),
        (&facts.kernel, "osrelease"),
        (&facts.cpu_model, "cpuinfo"),
        (&facts.numa_balancing, "no automatic NUMA balancing"),
        (&facts.transparent_huge_pages, "no transparent huge pages"),
    ] {
        assert!(reading.measured().is_none() && reading.to_string().contains(reason), "{reading}");
    }
    assert!(facts.frequency.reason().unwrap().to_string().contains("no cpufreq"));
    assert!(facts.environment.is_empty());
}

#[test]
fn cpus_without_a_name_are_told_by_their_numbers() {
    let tree = Tree::new();
    tree.write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
    assert_eq!(read(&tree, &[]).cpu_model, Reading::Measured("implementer 0x41, part 0xd40".to_owned()));
}

#[test]
fn empty_and_odd_files() {
    let tree = Tree::new();
    tree.write("proc/sys/kernel/hostname", "\n");
    tree.write("proc/cpuinfo", "model name\t:\n");
    tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always\n");
    tree.write("sys/devices/system/cpu/cpufreq/policy0/other", "x");
    let facts = read(&tree, &[]);
    assert!(facts.hostname.to_string().contains("expected a line of text"));
    assert!(facts.cpu_model.to_string().contains("model name"));
    assert_eq!(facts.transparent_huge_pages, Reading::Measured("always".to_owned()));
    assert!(facts.frequency.measured().is_none());
}

#[test]
fn this_host_has_a_name_and_a_kernel() {
    let facts = facts(&Roots::default());
    assert!(facts.hostname.measured().is_some() && facts.kernel.measured().is_some());
}
