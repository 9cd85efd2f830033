use numawise_facts::Reading;

use super::*;
use crate::tests::sample;

const OURS: &str = "00000000000000aa";
const OTHER: &str = "00000000000000bb";

fn folder() -> (tempfile::TempDir, Profiles) {
    let folder = tempfile::tempdir().unwrap();
    let profiles = Profiles::of(folder.path().join("some/where"));
    (folder, profiles)
}

fn latest(profiles: &Profiles) -> Option<Found> {
    profiles.latest(&sample(OURS, 0).header.fingerprint).unwrap()
}

#[test]
fn times_are_dates_in_utc() {
    for (seconds, text) in [
        (0, "19700101-000000"),
        (951_782_400, "20000229-000000"),
        (1_078_012_800, "20040229-000000"),
        (1_735_689_599, "20241231-235959"),
        (4_107_542_400, "21000301-000000"),
    ] {
        assert_eq!(stamp(seconds), text);
    }
    assert!(stamp(u64::MAX).ends_with("-070015"));
}

#[test]
fn the_newest_of_this_machine_is_found() {
    let (_folder, profiles) = folder();
    assert!(latest(&profiles).is_none(), "no folder yet");
    for (topology, taken) in [(OURS, 1_000), (OURS, 900), (OTHER, 2_000)] {
        profiles.save(&sample(topology, taken)).unwrap();
    }
    let found = latest(&profiles).unwrap();
    assert_eq!(found.profile.header.taken, Reading::Measured(1_000));
    assert_eq!(found.path.file_name().unwrap(), "00000000000000aa-19700101-001640.json");
    assert!(found.passed_over.is_empty());
}

#[test]
fn files_of_the_same_second_do_not_meet() {
    let (_folder, profiles) = folder();
    let paths: Vec<_> = (0..11).map(|_| profiles.save(&sample(OURS, 1_000)).unwrap()).collect();
    assert!(paths[10].display().to_string().ends_with("-001640-11.json"));
    assert_eq!(latest(&profiles).unwrap().path, paths[10], "11 is newer than 2");
}

#[test]
fn one_that_was_stopped_hides_no_whole_one() {
    let (_folder, profiles) = folder();
    let mut stopped = sample(OURS, 3_000);
    stopped.header.complete = false;
    profiles.save(&stopped).unwrap();
    stopped.header.taken = Reading::Measured(2_000);
    profiles.save(&stopped).unwrap();
    let found = latest(&profiles).unwrap();
    assert_eq!(found.profile.header.taken, Reading::Measured(3_000), "better than none");
    assert!(found.passed_over.is_empty(), "{:?}", found.passed_over);
    profiles.save(&sample(OURS, 1_000)).unwrap();
    let found = latest(&profiles).unwrap();
    assert_eq!(found.profile.header.taken, Reading::Measured(1_000));
    let incomplete = |passed: &PassedOver| matches!(passed.reason, PassedOverReason::Incomplete);
    assert!(
        found.passed_over.iter().all(incomplete) && found.passed_over.len() == 1,
        "{:?}",
        found.passed_over
    );
}

#[test]
fn what_cannot_be_read_is_passed_over_and_told() {
    let (_folder, profiles) = folder();
    let good = profiles.save(&sample(OURS, 1_000)).unwrap();
    let put = |name: &str, text: &str| std::fs::write(profiles.folder().join(name), text).unwrap();
    put(&format!("{OURS}-20300101-000000.json"), "{\"schema\": \"numawise/profile/1\", \"hea");
    put(&format!("{OURS}-20290101-000000.json"), "{\"schema\": \"numawise/profile/9\"}");
    put(&format!("{OURS}-20280101-000000.json.77.part"), "half of it");
    put("notes.txt", "mine");
    std::fs::create_dir(profiles.folder().join(format!("{OURS}-20270101-000000.json"))).unwrap();
    let elsewhere = profiles.save(&sample(OTHER, 5_000)).unwrap();
    std::fs::rename(elsewhere, profiles.folder().join(format!("{OURS}-20260101-000000.json"))).unwrap();
    let found = latest(&profiles).unwrap();
    assert_eq!(found.path, good);
    let passed: Vec<&PassedOverReason> = found.passed_over.iter().map(|passed| &passed.reason).collect();
    use PassedOverReason::{OtherMachine, Unreadable};
    let [
        Unreadable(ProfileError::DamagedProfile { problem, .. }),
        Unreadable(ProfileError::Newer { found: 9, .. }),
        Unreadable(ProfileError::Directory(_)),
        OtherMachine,
    ] = passed[..]
    else {
        panic!("{passed:?}");
    };
    assert!(problem.contains("cut off"), "{problem}");
}

#[test]
fn what_is_of_no_machine_is_not_kept_here() {
    let (_folder, profiles) = folder();
    let mut profile = sample(OURS, 1);
    profile.header.fingerprint.topology = Reading::unavailable("MLC's text has no machine");
    assert!(profiles.save(&profile).unwrap_err().to_string().contains("of which machine"));
    assert!(profiles.latest(&profile.header.fingerprint).unwrap().is_none());
    let mut timeless = sample(OURS, 1);
    timeless.header.taken = Reading::unavailable("no clock");
    let path = profiles.save(&timeless).unwrap();
    assert!(path.display().to_string().ends_with("unknown-time.json"));
    assert_eq!(latest(&profiles).unwrap().path, path);
    let dated = profiles.save(&sample(OURS, 1)).unwrap();
    assert_eq!(latest(&profiles).unwrap().path, dated);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let told = Profiles::of("/proc/numawise").save(&sample(OURS, 1)).unwrap_err().to_string();
    assert!(told.contains("/proc/numawise"), "{told}");
    let (folder, _) = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let profiles = Profiles::of(&file);
    assert!(profiles.latest(&sample(OURS, 1).header.fingerprint).is_err());
    assert!(profiles.save(&sample(OURS, 1)).is_err());
}

fn path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text))
}

#[test]
fn profiles_are_kept_where_the_specification_says() {
    assert_eq!(data_folder(path("/data"), path("/home/me")), path("/data"));
    assert_eq!(data_folder(None, path("/home/me")), path("/home/me/.local/share"));
    for relative in ["", "data", "./data"] {
        assert_eq!(data_folder(path(relative), path("/home/me")), path("/home/me/.local/share"));
        assert_eq!(data_folder(path(relative), path(relative)), None);
    }
    assert_eq!(data_folder(None, None), None);
}
