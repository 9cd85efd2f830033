use super::*;
use crate::fixture::Tree;

fn write(tree: &Tree, source: &str, files: &[(&str, &str)]) {
    for (file, text) in files {
        tree.write(&format!("sys/bus/event_source/devices/{source}/{file}"), text);
    }
}

/// As servers with Skylake and its like have it: two packages.
fn of_a_server(tree: &Tree, source: &str) {
    write(
        tree,
        source,
        &[
            ("type", "17\n"),
            ("cpumask", "0,28\n"),
            ("format/event", "config:0-7\n"),
            ("format/umask", "config:8-15\n"),
            ("events/cas_count_read", "event=0x04,umask=0x03\n"),
            ("events/cas_count_read.scale", "6.103515625e-5\n"),
            ("events/cas_count_read.unit", "MiB\n"),
            ("events/cas_count_write", "event=0x04,umask=0x0c\n"),
            ("events/cas_count_write.scale", "6.103515625e-5\n"),
            ("events/cas_count_write.unit", "MiB\n"),
            ("events/clockticks", "event=0x00\n"),
        ],
    );
}

fn found(tree: &Tree) -> Result<Vec<(String, u32, u64, f64)>, ControllerError> {
    let events = controller_events(&Roots::at(tree.path()))?;
    Ok(events.into_iter().map(|of| (of.source, of.kind, of.config, of.bytes)).collect())
}

#[test]
fn each_controller_of_intel_has_reads_and_writes() {
    let tree = Tree::new();
    of_a_server(&tree, "uncore_imc_0");
    of_a_server(&tree, "uncore_imc_11");
    // What counts the same, and what counts something else.
    write(
        &tree,
        "uncore_imc_free_running_0",
        &[("type", "30"), ("cpumask", "0"), ("events/read", "event=0xff")],
    );
    write(&tree, "uncore_imc_x", &[("type", "31")]);
    let of = |source: &str, config| (source.to_owned(), 17, config, 64.0);
    let expected = [
        of("uncore_imc_0", 0x304),
        of("uncore_imc_0", 0xc04),
        of("uncore_imc_11", 0x304),
        of("uncore_imc_11", 0xc04),
    ];
    assert_eq!(found(&tree), Ok(expected.to_vec()));
    let cpus = controller_events(&Roots::at(tree.path())).unwrap().remove(0).cpus;
    assert_eq!(cpus.to_string(), "0,28");
}

#[test]
fn desktops_have_counters_that_run_freely() {
    let tree = Tree::new();
    write(
        &tree,
        "uncore_imc_free_running_1",
        &[
            ("type", "22"),
            ("cpumask", "0"),
            ("format/event", "config:0-7"),
            ("format/umask", "config:8-15"),
            ("events/data_read", "event=0xff,umask=0x20"),
            ("events/data_read.scale", "6.103515625e-5"),
            ("events/data_read.unit", "MiB"),
        ],
    );
    assert_eq!(found(&tree), Ok(vec![("uncore_imc_free_running_1".to_owned(), 22, 0x20ff, 64.0)]));
}

#[test]
fn controllers_of_amd_count_lines_by_their_terms() {
    let tree = Tree::new();
    let files = [
        ("type", "20"),
        ("cpumask", "0,64"),
        ("format/event", "config:0-7"),
        ("format/rdwrmask", "config:8-9"),
    ];
    write(&tree, "amd_umc_3", &files);
    let of = |config| ("amd_umc_3".to_owned(), 20, config, 64.0);
    assert_eq!(found(&tree), Ok(vec![of(0x10a), of(0x20a)]));
}

#[test]
fn where_there_is_none_or_it_is_described_in_another_way_that_is_said() {
    let tree = Tree::new();
    assert_eq!(found(&tree), Err(ControllerError::NotThere));
    tree.write("proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
    assert_eq!(found(&tree), Err(ControllerError::NotInGuest));
    for (file, text) in [
        ("cpumask", "none"),
        ("type", ""),
        ("events/cas_count_read", "event=0x04,other=1"),
        ("events/cas_count_read.scale", "much"),
        ("events/cas_count_read.scale", "0"),
        ("events/cas_count_read.scale", "inf"),
        ("events/cas_count_read.unit", "cups"),
        ("format/umask", "config1:0-7"),
    ] {
        let tree = Tree::new();
        of_a_server(&tree, "uncore_imc_0");
        write(&tree, "uncore_imc_0", &[(file, text)]);
        let found = found(&tree);
        assert!(matches!(found, Err(ControllerError::Malformed(_))), "{file} {text}: {found:?}");
    }
}
