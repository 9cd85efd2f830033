//! Profiles that were measured before.

use crate::{Data, mlc, topology};

#[test]
fn mlcs_text_is_shown_and_kept_as_ours() {
    let data = Data::new();
    for name in ["two-nodes-3.11", "memory-only-node-3.10", "one-command-each-3.5", "sockets-3.1"] {
        let shown = data.run(&["measure", "--load", &mlc(name)]);
        assert_eq!(shown.status, Some(0), "{shown:?}");
        assert!(shown.err.contains("of which machine it is cannot be determined"), "{shown:?}");
        assert!(!shown.out.is_empty());
        let kept = data.run(&["measure", "--json", "--load", &mlc(name), "--save", "kept.json"]);
        assert_eq!(kept.json()["schema"], "numawise/profile/1");
        let again = data.run(&["measure", "--json", "--load", "kept.json"]);
        assert_eq!(again.out, kept.out);
        let file = std::fs::read_to_string(data.path().join("kept.json")).unwrap();
        assert_eq!(file, kept.out, "what --json prints is the file");
    }
    assert_eq!(data.profiles().len(), 0, "nothing was measured");
}

#[test]
fn a_profile_of_this_machine_is_found_and_told() {
    let data = Data::new();
    let none = data.run(&["measure", "--load", "latest"]);
    assert_eq!(none.status, Some(125), "{none:?}");
    assert!(none.err.contains("there is no saved profile of this machine"), "{none:?}");
    assert!(!data.run(&[]).out.contains("Measured"));
    let name = format!("numawise/profiles/{}-20231114-221320.json", topology());
    let path = data.put(&name, &topology());
    let latest = data.run(&["measure", "--json", "--load", "latest"]);
    assert_eq!(latest.status, Some(0), "{latest:?}");
    assert_eq!(latest.err, format!("numawise: latest is {}\n", path.display()), "and no warning");
    assert_eq!(latest.json()["header"]["taken"], 1_700_000_000);
    let told = data.run(&[]);
    assert!(told.out.contains("Measured 2023-11-14 22:13:20 UTC"), "{told:?}");
    assert!(told.out.contains("numawise machine measure --load latest"), "{told:?}");
    assert_eq!(told.err, "");
    for arguments in [&["--reader", "sysfs"][..], &["--json"], &["--input", "pu:2"]] {
        assert!(!data.run(arguments).out.contains("Measured "), "{arguments:?}");
    }
}

#[test]
fn a_damaged_newer_one_is_passed_over_and_told() {
    let data = Data::new();
    let good = data.put(&format!("numawise/profiles/{}-20200101-000000.json", topology()), &topology());
    let bad = good.with_file_name(format!("{}-20300101-000000.json", topology()));
    std::fs::write(&bad, "{\"schema\": \"numawise/profile/1\", \"header\"").unwrap();
    let latest = data.run(&["measure", "--load", "latest"]);
    assert_eq!(latest.status, Some(0), "{latest:?}");
    assert!(latest.err.contains(&format!("passed over {}", bad.display())), "{latest:?}");
    assert!(latest.err.contains(&format!("latest is {}", good.display())), "{latest:?}");
    assert_eq!(data.run(&[]).status, Some(0), "and does not keep the machine from being shown");
}

#[test]
fn a_profile_of_another_machine_is_shown_with_a_warning_and_not_used() {
    let data = Data::new();
    data.put("other.json", "0123456789abcdef");
    let shown = data.run(&["measure", "--load", "other.json"]);
    assert_eq!(shown.status, Some(0), "{shown:?}");
    assert!(shown.err.contains("other.json is of another machine: Imaginary Processor 9000"), "{shown:?}");
    assert!(shown.err.contains(&topology()), "{shown:?}");
    let used = data.run(&["measure", "--load", "other.json", "--hwloc-xml", "machine.xml"]);
    assert_eq!(used.status, Some(125), "{used:?}");
    assert!(used.err.contains("is of another machine, and hwloc describes this one"), "{used:?}");
    assert!(!data.path().join("machine.xml").exists());
    // In the folder of profiles too, where it can only be by hand.
    data.put(&format!("numawise/profiles/{}-20300101-000000.json", topology()), "0123456789abcdef");
    let latest = data.run(&["measure", "--load", "latest"]);
    assert_eq!(latest.status, Some(125), "{latest:?}");
}

#[test]
fn a_changed_kernel_is_told() {
    let data = Data::new();
    let path = data.put("mine.json", &topology());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut profile: serde_json::Value = serde_json::from_str(&text).unwrap();
    profile["header"]["fingerprint"]["kernel"] = "2.6.0-imaginary".into();
    std::fs::write(&path, profile.to_string()).unwrap();
    let shown = data.run(&["measure", "--load", "mine.json"]);
    assert!(shown.err.contains("was measured with kernel 2.6.0-imaginary; now it is"), "{shown:?}");
}

#[test]
fn figures_go_to_hwloc() {
    let data = Data::new();
    data.put("mine.json", &topology());
    let answer = data.run(&["measure", "--load", "mine.json", "--hwloc-xml", "machine.xml"]);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let xml = std::fs::read_to_string(data.path().join("machine.xml")).unwrap();
    assert!(xml.contains("<topology") && xml.contains("memattr"), "{xml}");
}

#[test]
fn two_profiles_side_by_side() {
    let data = Data::new();
    let (a, b) = (mlc("two-nodes-3.11"), mlc("memory-only-node-3.10"));
    let text = data.run(&["compare", &a, &b]);
    assert_eq!((text.status, text.err.as_str()), (Some(0), ""), "{text:?}");
    let json = data.run(&["compare", "--json", &a, &b]).json();
    assert_eq!(json["schema"], "numawise/profile-compare/1");
    assert_eq!(json["a"]["name"], a);
    let page = data.run(&["compare", &a, &b, "--html", "both.html"]);
    assert_eq!(page.status, Some(0), "{page:?}");
    assert!(std::fs::read_to_string(data.path().join("both.html")).unwrap().contains("<html"));
    let missing = data.run(&["compare", &a, "latest"]);
    assert_eq!(missing.status, Some(125), "{missing:?}");
    data.put(&format!("numawise/profiles/{}-20230101-000000.json", topology()), &topology());
    let latest = data.run(&["compare", &a, "latest"]);
    assert_eq!(latest.status, Some(0), "{latest:?}");
    assert!(latest.err.contains("latest is "), "{latest:?}");
}

#[test]
fn a_page_is_written_too() {
    let data = Data::new();
    let answer = data.run(&["measure", "--load", &mlc("two-nodes-3.11"), "--html", "page.html"]);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let page = std::fs::read_to_string(data.path().join("page.html")).unwrap();
    assert!(page.contains("<html") && page.contains("v3.11b"));
}
