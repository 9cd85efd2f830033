use std::path::PathBuf;

use super::*;
use crate::ErrorKind;

/// A profile with 81.25 ns and 12 GB/s within node 0, of the machine with this topology.
fn profile_of(topology: &str, folder: &Path) -> PathBuf {
    let text = include_str!("../../../testdata/records/profile-version-1.json");
    let file = folder.join("profile.json");
    // A figure of one core's, as if it were one of the whole node.
    let text = text.replacen("\"core\": 0", "\"node\": 0", 1);
    std::fs::write(&file, text.replace("902729583c957a32", topology)).unwrap();
    file
}

fn here() -> Option<String> {
    let machine = open().unwrap();
    numawise_machine::fingerprint(&Roots::live(), &machine).topology.measured().cloned()
}

#[test]
fn figures_are_those_of_the_profile_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let Some(here) = here() else {
        eprintln!("SKIPPED: nothing tells this machine from others");
        return;
    };
    let machine = open_measured(Some(&profile_of(&here, folder.path()))).unwrap();
    assert_eq!(latency(&machine, 0, 0).unwrap(), Latency(81.25));
    assert_eq!(bandwidth(&machine, 0, 0).unwrap(), BytesPerSecond(12e9));
    assert_eq!(latency(&machine, 0, 500).unwrap_err().kind(), ErrorKind::NotThere);
}

#[test]
fn a_profile_of_another_machine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = profile_of("0123456789abcdef", folder.path());
    let error = open_measured(Some(&file)).unwrap_err();
    if here().is_some() {
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(
            error.to_string().contains("is of another machine (topology 0123456789abcdef; this one has"),
            "{error}"
        );
    }
    std::fs::write(&file, "{\"schema\": \"numawise/profile/1\"").unwrap();
    assert_eq!(open_measured(Some(&file)).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(open_measured(Some(Path::new("/nowhere/at.json"))).unwrap_err().kind(), ErrorKind::NotThere);
}

#[test]
fn what_was_not_measured_is_unavailable() {
    let machine = open().unwrap();
    let node = machine.nodes[0].id;
    let (from, to) = (numawise_units::Id::index(node), numawise_units::Id::index(node));
    for error in [latency(&machine, from, to).unwrap_err(), bandwidth(&machine, from, to).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().ends_with("it was opened without a profile"), "{error}");
    }
}
