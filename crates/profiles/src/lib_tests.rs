use numawise_facts::notice::MembenchNotice;
use numawise_facts::{
    Bandwidth, BufferPages, BufferSpread, Depth, Estimate, Fingerprint, IdleLatency, LoopChoice, LoopPath,
    LoopTrial, MemoryLoop, Mix, ProfileHeader, ProfileOrigin, Reading, Target, Vectors, Workers,
};
use numawise_units::{BytesPerSecond, CpuId, Latency, Nanoseconds, NodeId};
use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// A small profile with something of everything that a reading can be.
pub(super) fn sample(topology: &str, taken: u64) -> Profile {
    let estimate = Estimate {
        median: Latency(81.25),
        low: Latency(80.5),
        high: Latency(82.0),
        samples: 7,
        disturbed: 1,
    };
    Profile {
        arithmetic: Vec::new(),
        caches: Vec::new(),
        header: ProfileHeader {
            origin: ProfileOrigin::Numawise("0.1.0".to_owned()),
            fingerprint: Fingerprint {
                topology: Reading::Measured(topology.to_owned()),
                processor: Reading::Measured("Imaginary \"9000\"".to_owned()),
                kernel: Reading::Measured("6.1.0".to_owned()),
                firmware: Reading::unavailable("the kernel has none"),
            },
            taken: Reading::Measured(taken),
            took: Reading::Measured(Nanoseconds(1_500_000_000)),
            depth: Depth::Quick,
            complete: true,
            nodes: Vec::new(),
            vectors: Reading::Measured("avx2".to_owned()),
            notices: vec![MembenchNotice::StoppedBeforeItsEnd.into()],
        },
        latency: vec![IdleLatency {
            from: NodeId(0),
            to: NodeId(0),
            cpu: Reading::Measured(CpuId(1)),
            pages: Reading::Measured(BufferPages::Transparent),
            bytes: Reading::unavailable("not told"),
            latency: Reading::Measured(estimate),
            with_tlb_misses: Reading::unavailable("not asked for"),
            buffers: Reading::unavailable("one buffer"),
        }],
        working_sets: Vec::new(),
        bandwidth: vec![bandwidth()],
        loaded: Vec::new(),
        transfers: Vec::new(),
    }
}

fn bandwidth() -> Bandwidth {
    let rate = |rate| Estimate::single(BytesPerSecond(rate));
    let chosen = MemoryLoop { vectors: Vectors::Avx2, path: LoopPath::Straight };
    let trial = |path, reached| LoopTrial {
        candidate: MemoryLoop { vectors: Vectors::Avx2, path },
        rate: Reading::Measured(rate(reached)),
    };
    let trials = vec![trial(LoopPath::Straight, 20.125e9), trial(LoopPath::Tuned, 19.375e9)];
    Bandwidth {
        workers: Workers::Machine,
        target: Target::Local,
        mix: Mix::Read,
        threads: Reading::Measured(2),
        rate: Reading::Measured(rate(20.5e9)),
        declared: Reading::unavailable("the firmware declares none"),
        with: Reading::Measured(LoopChoice { chosen, trials }),
        buffers: Reading::Measured(BufferSpread {
            lowest: BytesPerSecond(18.75e9),
            highest: BytesPerSecond(20.625e9),
            buffers: 3,
            apart: true,
        }),
    }
}

fn refused(name: &str, content: &[u8]) -> ProfileError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    read_profile(&path).expect_err("refused")
}

#[test]
fn what_is_saved_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let profile = sample("0123456789abcdef", 1_700_000_000);
    save_profile(&path, &profile).unwrap();
    assert_eq!(read_profile(&path).unwrap(), profile);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("{\n  \"schema\": \"numawise/profile/1\",\n  \"header\""), "{text}");
    assert!(text.ends_with("}\n"));
    // Over an older one, through a link, and nothing is left beside it.
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink("a.json", &link).unwrap();
    let newer = sample("0123456789abcdef", 1_800_000_000);
    save_profile(&link, &newer).unwrap();
    assert_eq!(read_profile(&path).unwrap(), newer);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

proptest! {
    /// Any date of four digits: later ones are refused.
    #[test]
    fn any_figure_and_any_text_survive(median in 1e-9f64..1e9, text in "\\PC*", taken in 0u64..253_402_300_800) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut profile = sample("t", taken);
        let median = Latency(median);
        profile.latency[0].latency = Reading::Measured(Estimate { median, low: median, high: median, samples: 1, disturbed: 0 });
        profile.header.notices = vec![MembenchNotice::ReadFromMlc { version: text }.into()];
        save_profile(&path, &profile).unwrap();
        prop_assert_eq!(read_profile(&path).unwrap(), profile);
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let error = refused("a", &bytes);
        let named = matches!(error, ProfileError::NotAProfile { .. } | ProfileError::DamagedProfile { .. });
        prop_assert!(named, "{}", error);
    }
}

#[test]
fn a_profile_cut_off_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    save_profile(&path, &sample("t", 1)).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for end in 0..whole.len() - 2 {
        let told = refused("cut.json", &whole[..end]).to_string();
        assert!(told.contains("cut off") || told.contains("no profile"), "cut at {end}: {told}");
        if end > 60 {
            assert!(told.contains("cut off in line"), "cut at {end}: {told}");
        }
    }
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    for (content, words) in [
        (&b""[..], "the file is empty"),
        (b" \n", "the file is empty"),
        (b"hello", "it is some other text"),
        (b"SQLite format 3\0 and so on", "it is no profile of a machine: it is an SQLite file"),
        (b"\xff\xfe\x00", "it is not text"),
        (b"{\"a\": 1}", "JSON without a schema"),
        (b"[1, 2]", "JSON without a schema"),
        (b"{\"schema\": \"numawise/machine/1\"}", "its schema is 'numawise/machine/1'"),
        (
            b"{\"schema\": \"numawise/profile/2\"}",
            "newer numawise (format version 2, this one reads up to 1)",
        ),
        (b"{\"schema\": \"numawise/profile/x\"}", "its schema is 'numawise/profile/x'"),
        (b"{\"schema\": \"numawise/profile/1\"}", "damaged: missing field"),
        (b"{\"schema\": \"numawise/profile/1\", }", "damaged: its JSON is broken"),
        (b"{nonsense}", "its JSON is broken"),
        (b"{\"schema\": 7}", "JSON without a schema"),
    ] {
        let told = refused("a.txt", content).to_string();
        assert!(
            told.contains(words) && told.contains("a.txt"),
            "{}: {told}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn figures_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    for (from, to) in [
        ("81.25", "-81.25"),
        ("81.25", "0"),
        ("80.5", "90.5"),
        ("82.0", "1.0"),
        ("81.25", "\"soon\""),
        // What a loop came to in its trial, and the lowest and the highest of several buffers.
        ("19375000000.0", "-1.0"),
        ("19375000000.0", "0.0"),
        ("19375000000.0", "1e999"),
        ("18750000000.0", "0.0"),
        ("18750000000.0", "21000000000.0"),
        ("20625000000.0", "-20625000000.0"),
        ("20625000000.0", "100000000000000.0"),
        ("\"avx2\"", "\"avx1\""),
    ] {
        save_profile(&path, &sample("t", 1)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        let told = refused("a.json", text.replace(from, to).as_bytes()).to_string();
        assert!(told.contains("damaged"), "{from} -> {to}: {told}");
    }
}

#[test]
fn a_profile_that_tells_of_no_loop_and_no_buffers_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut value: Value = serde_json::from_str(&text(&sample("t", 1)).unwrap()).unwrap();
    for member in ["with", "buffers"] {
        value["bandwidth"][0].as_object_mut().unwrap().remove(member).unwrap();
    }
    value["latency"][0].as_object_mut().unwrap().remove("buffers").unwrap();
    std::fs::write(&path, value.to_string()).unwrap();
    let cell = read_profile(&path).unwrap().bandwidth.remove(0);
    let reasons = [cell.with.reason().cloned(), cell.buffers.reason().cloned()];
    assert!(reasons.into_iter().all(|reason| reason.unwrap().to_string().contains("does not tell")));
}

#[test]
fn broken_texts_of_mlc_are_refused_with_their_line() {
    for (name, line, words) in [
        ("mlc-title-only", 2, "none of its tables"),
        ("mlc-short-row", 5, "1 figures for 2 columns"),
        ("mlc-word-for-figure", 5, "found 'soon'"),
        ("mlc-zero", 3, "found '0.0'"),
        ("mlc-two-rows", 5, "second row of 0"),
        ("mlc-loaded-row", 4, "1 figures for latency and bandwidth"),
    ] {
        let path = format!("{}/../../testdata/bad-profiles/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let told = read_profile(Path::new(&path)).expect_err(name).to_string();
        assert!(told.contains(&format!("in line {line}:")) && told.contains(words), "{name}: {told}");
    }
}

#[test]
fn a_file_of_somebody_elses_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thesis.txt");
    std::fs::write(&path, "three years of work").unwrap();
    let told = save_profile(&path, &sample("t", 1)).unwrap_err().to_string();
    assert!(told.contains("it is left as it is"), "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "three years of work");
    // Nothing is lost with a damaged profile, nor with an empty file.
    for content in ["", "{\"schema\": \"numawise/profile/1\""] {
        std::fs::write(&path, content).unwrap();
        save_profile(&path, &sample("t", 1)).unwrap();
    }
}

#[test]
fn places_where_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let profile = sample("t", 1);
    let told = |path: &Path| save_profile(path, &profile).unwrap_err().to_string();
    assert!(told(folder.path()).contains("it is a directory"));
    assert!(told(&folder.path().join("no/a.json")).contains("no: there is no such file"));
    assert!(told(Path::new("/dev/full")).contains("no space is left"), "{}", told(Path::new("/dev/full")));
    assert!(told(Path::new("/proc/a.json")).contains("/proc/a.json"));
    save_profile(Path::new("/dev/null"), &profile).unwrap();
}

/// Whatever becomes of the format, files of its first version are read.
#[test]
fn a_file_of_version_1_is_read() {
    let path = format!("{}/../../testdata/records/profile-version-1.json", env!("CARGO_MANIFEST_DIR"));
    let profile = read_profile(Path::new(&path)).unwrap();
    assert_eq!(
        profile.latency_of(NodeId(0), NodeId(1)).unwrap().pages,
        Reading::Measured(BufferPages::Small)
    );
    assert_eq!(profile.bandwidth.len(), 3);
    assert!(profile.bandwidth[2].rate.reason().unwrap().to_string().contains("past its caches"));
    assert_eq!(profile.loaded[0].points.measured().unwrap().len(), 2);
    // Written again, nothing is lost.
    let again = serde_json::to_value(Document { schema: PROFILE_SCHEMA, profile: &profile }).unwrap();
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(again, file);
}

fn keys<'a>(value: &'a Value, into: &mut std::collections::BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            into.insert(key);
            keys(value, into);
        }),
        Value::Array(all) => all.iter().for_each(|value| keys(value, into)),
        _ => {}
    }
}

#[test]
fn every_member_is_described() {
    let read = |path: &str| {
        let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let (manual, file) =
        (read("docs/formats/profile-json.md"), read("testdata/records/profile-version-1.json"));
    let file: Value = serde_json::from_str(&file).unwrap();
    let mut members = std::collections::BTreeSet::new();
    keys(&file, &mut members);
    assert!(members.len() > 40, "{members:?}");
    for key in members {
        assert!(manual.contains(&format!("`{key}`")) || manual.contains(&format!("\"{key}\"")), "{key}");
    }
}

#[test]
fn a_folder_that_takes_no_files_is_told_before_there_is_a_profile() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let closed =
        |mode| std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    closed(0o555);
    // Root may write everywhere, but not where there is nothing to write to.
    let root = std::fs::write(folder.path().join("try"), "").is_ok();
    let place = if root { Path::new("/sys/kernel/a.json").to_owned() } else { folder.path().join("a.json") };
    let told = profile_may_be_saved(&place);
    closed(0o755);
    if root && told.is_ok() {
        eprintln!("SKIPPED: as root, and /sys can be written to");
        return;
    }
    assert!(matches!(told, Err(ProfileError::ReadOnly { .. })), "{told:?}");
}

/// The profile of version 1 with one value changed, as it is read.
fn changed(pointer: &str, value: Value) -> Result<Profile, ProfileError> {
    let path = format!("{}/../../testdata/records/profile-version-1.json", env!("CARGO_MANIFEST_DIR"));
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    *file.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, file.to_string()).unwrap();
    read_profile(&path)
}

#[test]
fn what_cannot_have_been_measured_is_refused() {
    let notice = |cpus: f64| {
        let notice = numawise_facts::Notice::from(MembenchNotice::OtherProgramsRan { cpus });
        Value::from(vec![serde_json::to_value(notice).unwrap()])
    };
    for (pointer, value, expected) in [
        ("/bandwidth/0/declared", Value::from(1.0), "declared bandwidth of 1 bytes per second cannot be"),
        ("/header/took", Value::from(u64::MAX), "a span of 18446744073709551615 ns cannot be"),
        ("/header/taken", Value::from(u64::MAX), "cannot be its date"),
        ("/header/notices", notice(-1.0), "header.notices[0].arguments.cpus: found -1"),
        ("/header/notices", notice(1e300), "expected a number from 0 to 2^52"),
        ("/latency/0/latency/low", Value::from(1e-320), "a latency of"),
        ("/latency/0/bytes", Value::from(u64::MAX), "a buffer of 18446744073709551615 bytes"),
        ("/loaded/0/points/0/delay", Value::from(u64::MAX), "a span of"),
    ] {
        let refused = changed(pointer, value).expect_err(pointer).to_string();
        assert!(
            refused.contains("the profile is damaged") && refused.contains(expected),
            "{pointer}: {refused}"
        );
    }
    changed("/header/notices", notice(0.5)).unwrap();
}

/// A curve may have lost all its points; then there is none of its figures.
#[test]
fn a_curve_without_points_is_read() {
    let profile = changed("/loaded/0/points", Value::Array(Vec::new())).unwrap();
    assert_eq!(profile.loaded[0].points.measured().map(Vec::len), Some(0));
}

/// Measured with `machine measure --full` on a virtual machine with 16 CPUs of one node, whose processor changed its speed.
#[test]
fn a_full_profile_of_sixteen_cores_is_read_and_kept_as_it_was() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/profiles/guest-sixteen.json"));
    let profile = read_profile(path).unwrap();
    assert_eq!(profile.transfers.len(), 16 * 15, "each core to each other");
    let missing = profile.transfers.iter().filter(|of| of.latency.measured().is_none()).count();
    assert_eq!(missing, 31, "steps that were left out are no figures");
    assert_eq!(profile.header.depth, Depth::Full);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.json");
    save_profile(&copy, &profile).unwrap();
    assert_eq!(read_profile(&copy).unwrap(), profile);
}
