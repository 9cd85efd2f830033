use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::fixture::Tree;

const RANGE: &str = "262143328850";

/// Zones by their folder: name, counter, range.
fn tree(zones: &[(&str, &str, &str, &str)]) -> (Tree, Roots) {
    let tree = Tree::new();
    for (zone, name, counter, range) in zones {
        for (file, text) in [("name", name), ("energy_uj", counter), ("max_energy_range_uj", range)] {
            tree.write(&format!("sys/class/powercap/{zone}/{file}"), &format!("{text}\n"));
        }
    }
    let roots = Roots::at(tree.path());
    (tree, roots)
}

/// Two packages with cores and memory, the second of them once more by the other interface, and the platform: as servers and laptops have.
const SERVER: [(&str, &str, &str, &str); 8] = [
    ("intel-rapl", "", "", ""),
    ("intel-rapl:0", "package-0", "1000", RANGE),
    ("intel-rapl:0:0", "core", "400", RANGE),
    ("intel-rapl:0:1", "dram", "30", "65712999613"),
    ("intel-rapl:1", "package-1", "2000", RANGE),
    ("intel-rapl:1:0", "dram", "50", "65712999613"),
    ("intel-rapl:2", "psys", "9000", RANGE),
    ("intel-rapl-mmio:0", "package-0", "1000", RANGE),
];

#[test]
fn packages_and_memory_are_counted_once() {
    let (_tree, roots) = tree(&SERVER);
    let zones = zones(&roots).unwrap();
    let read: Vec<(&str, u64)> =
        zones.iter().map(|zone| (zone.name.as_str(), zone.read().unwrap().0)).collect();
    assert_eq!(read, [("package-0", 1000), ("dram", 30), ("package-1", 2000), ("dram", 50)]);
}

#[test]
fn a_counter_that_begins_again_goes_on() {
    let (_tree, roots) = tree(&[("intel-rapl:0", "package-0", "0", "1000")]);
    let zone = &zones(&roots).unwrap()[0];
    let taken = |before, after| zone.taken(Microjoules(before), Microjoules(after)).map(|taken| taken.0);
    assert_eq!(taken(10, 25).unwrap(), 15);
    assert_eq!(taken(10, 10).unwrap(), 0);
    assert_eq!(taken(990, 5).unwrap(), 15);
    let refused = taken(2000, 5).unwrap_err().to_string();
    assert!(refused.contains("went back from 2000 to 5 uJ, and begins again at 1000 uJ"), "{refused}");
}

#[test]
fn what_is_missing_or_broken_says_so() {
    let empty = Tree::new();
    let said = |roots: &Roots| zones(roots).unwrap_err().to_string();
    assert!(said(&Roots::at(empty.path())).contains("no processor tells how much energy it takes"));
    let (_tree, roots) = tree(&[("intel-rapl:0", "core", "1", "9"), ("dtpm", "x", "1", "9")]);
    assert!(said(&roots).contains("no processor tells"));
    for (counter, range, expected) in [
        ("", RANGE, "energy_uj reads ''; expected a number of microjoules"),
        ("-5", RANGE, "energy_uj reads '-5'"),
        ("1e9", RANGE, "energy_uj reads '1e9'"),
        ("99999999999999999999", RANGE, "expected a number of microjoules"),
        ("5\n6", RANGE, "expected a number of microjoules"),
        ("\u{1b}[2J", RANGE, "expected a number of microjoules"),
        ("5", "much", "max_energy_range_uj reads 'much'"),
    ] {
        let (_tree, roots) = tree(&[("intel-rapl:0", "package-0", counter, range)]);
        assert!(
            said(&roots).contains(expected) && !said(&roots).contains('\u{1b}'),
            "{counter}: {}",
            said(&roots)
        );
    }
    let (kept, roots) = tree(&SERVER);
    fs::remove_file(kept.path().join("sys/class/powercap/intel-rapl:1/energy_uj")).unwrap();
    assert!(said(&roots).contains("intel-rapl:1/energy_uj cannot be read"), "no sum without a part");
}

#[test]
fn who_may_not_read_it_learns_why_and_what_to_do() {
    let (kept, roots) = tree(&SERVER);
    let counter = kept.path().join("sys/class/powercap/intel-rapl:0/energy_uj");
    fs::set_permissions(&counter, fs::Permissions::from_mode(0o000)).unwrap();
    let found = match File::open(&counter) {
        // Root reads whatever the mode says: the same error, by hand.
        Ok(_) => problem(counter, io::ErrorKind::PermissionDenied.into()).to_string(),
        Err(_) => zones(&roots).unwrap_err().to_string(),
    };
    assert!(found.contains("CVE-2020-8694") && found.contains("chmod a+r"), "{found}");
}
