use std::path::PathBuf;

use numawise_predict::predict;
use numawise_tables::PredictedFigure;
use serde_json::{Value, json};

use super::*;
use crate::prediction::tests::{run_for, study_on};

/// Of one node with 16 cores, without peaks of arithmetic.
fn sixteen() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/profiles/guest-sixteen.json")
}

/// A study on such a machine with a few of its points run.
fn study() -> Study {
    let mut study = study_on("pack:1 numa:1 core:16 pu:1");
    for point in numawise_predict::points_to_run(&study, 12) {
        // Most of it is bytes, of which five cores take what there is.
        let threads = study.header.point(&point).unwrap().placement.cpus().len() as f64;
        for _ in 0..2 {
            run_for(&mut study, &point, 0.05 + 1.0 / threads + 10.0 / threads.min(4.7));
        }
    }
    study
}

/// A profile that was changed, in a folder that goes with it.
fn changed(change: impl FnOnce(&mut Value)) -> (tempfile::TempDir, PathBuf) {
    let mut profile: Value = serde_json::from_str(&std::fs::read_to_string(sixteen()).unwrap()).unwrap();
    change(&mut profile);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.json");
    std::fs::write(&path, profile.to_string()).unwrap();
    (folder, path)
}

fn predicted(
    study: &Study,
    other: &Path,
    own: Option<&Path>,
) -> Result<(Prediction, OtherMachineFacts), String> {
    predict_on_other(study, Path::new("app.study.nw"), other, own).map_err(|error| error.to_string())
}

/// All rates of bandwidth times this.
fn with_bandwidth(profile: &mut Value, times: f64) {
    for cell in profile["bandwidth"].as_array_mut().unwrap() {
        for part in ["median", "low", "high"] {
            if let Some(rate) = cell["rate"][part].as_f64() {
                cell["rate"][part] = json!(rate * times);
            }
        }
    }
}

fn with_peaks(profile: &mut Value, rate: f64) {
    let kind = json!({ "bits": 512, "element_bits": 64, "is_fused": true });
    let rate = json!({ "median": rate, "low": rate, "high": rate, "samples": 5, "disturbed": 0 });
    profile["arithmetic"] = json!([{ "cpu": 0, "kind": kind, "rate": rate }]);
}

fn middle(of: &Prediction, place: usize) -> f64 {
    of.points[place].predicted.measured().unwrap().value
}

#[test]
fn a_machine_like_that_of_the_study_is_predicted_like_it() {
    let study = study();
    let (_folder, profile) = changed(|profile| with_peaks(profile, 1e11));
    let (there, facts) = predicted(&study, &profile, Some(&profile)).unwrap();
    assert_eq!((facts.nodes, facts.cores, facts.compute), (1, 16, Reading::Measured(Ratio(1.0))));
    let here = predict(&study);
    assert_eq!(there.run, 0);
    let mut both = 0;
    for (here, there) in here.points.iter().zip(&there.points) {
        assert!(there.measured.reason().unwrap().to_string().contains("nothing was run"), "{there:?}");
        if let (Some(one), Some(other)) = (here.predicted.measured(), there.predicted.measured()) {
            assert!((other.value / one.value - 1.0).abs() < 0.15, "{one:?} {other:?}");
            assert!(other.high / other.low > 1.0);
            both += 1;
        }
    }
    assert!(both >= 8, "{both}");
}

#[test]
fn half_the_bandwidth_takes_longer_and_faster_cores_less() {
    let study = study();
    let (_own, own) = changed(|profile| with_peaks(profile, 1e11));
    let (_slow, slow) = changed(|profile| {
        with_peaks(profile, 1e11);
        with_bandwidth(profile, 0.5);
    });
    let (_fast, fast) = changed(|profile| with_peaks(profile, 2e11));
    let of = |other: &Path| predicted(&study, other, Some(&own)).unwrap().0;
    let (same, slow, fast) = (of(&own), of(&slow), of(&fast));
    let last = (0..same.points.len()).rev().find(|place| {
        [&same, &slow, &fast].iter().all(|of| of.points[*place].predicted.measured().is_some())
    });
    let last = last.unwrap();
    assert!(
        middle(&slow, last) > 1.2 * middle(&same, last),
        "{} {}",
        middle(&slow, last),
        middle(&same, last)
    );
    assert!(middle(&fast, last) < middle(&same, last));
}

#[test]
fn cores_of_unknown_speed_widen_intervals_and_are_named() {
    let study = study();
    let (_folder, with) = changed(|profile| with_peaks(profile, 1e11));
    let (unknown, facts) = predicted(&study, &sixteen(), Some(&with)).unwrap();
    assert!(facts.compute.reason().unwrap().to_string().contains("peaks of arithmetic"));
    let (known, _) = predicted(&study, &with, Some(&with)).unwrap();
    let width = |of: &PredictedFigure| of.high / of.low;
    for (one, other) in known.points.iter().zip(&unknown.points) {
        match (one.predicted.measured(), other.predicted.measured()) {
            (Some(one), Some(other)) => assert!(width(other) > width(one), "{one:?} {other:?}"),
            (_, None) => assert!(other.predicted.reason().unwrap().to_string().contains("cores compute")),
            (None, Some(_)) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_machine_with_fewer_cores_has_no_time_for_more_threads() {
    let study = study();
    let (_folder, four) = changed(|profile| {
        profile["header"]["nodes"][0]["cpus"] = json!("0-3");
        profile["bandwidth"].as_array_mut().unwrap().iter_mut().for_each(|cell| cell["threads"] = json!(4));
    });
    let (prediction, facts) = predicted(&study, &four, Some(&sixteen())).unwrap();
    assert_eq!(facts.cores, 4);
    for point in &prediction.points {
        if point.threads.unwrap() > 4 {
            let reason = point.predicted.reason().unwrap().to_string();
            assert!(reason.contains("and that machine 4 cores"), "{reason}");
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let mut study = study();
    let refused = |study: &Study, other: &Path, own: Option<&Path>| predicted(study, other, own).unwrap_err();
    let not_measured = refused(&study, &sixteen(), None);
    assert!(
        not_measured.contains("no measured latency") && not_measured.contains("give a profile"),
        "{not_measured}"
    );
    let (_latency, without) = changed(|profile| profile["latency"] = json!([]));
    assert!(refused(&study, &without, Some(&sixteen())).contains("no local latency"));
    let (_cores, without) = changed(|profile| profile["bandwidth"] = json!([]));
    assert!(refused(&study, &without, Some(&sixteen())).contains("by all cores of a node"));
    let (_cpus, without) = changed(|profile| {
        profile["header"]["nodes"][0]["cpus"] = json!({ "unavailable": "MLC does not tell" })
    });
    assert!(refused(&study, &without, Some(&sixteen())).contains("no CPUs of its nodes"));
    assert!(refused(&study, Path::new("/none/other.json"), Some(&sixteen())).contains("no such file"));
    study.trials.truncate(2);
    let few = refused(&study, &sixteen(), Some(&sixteen()));
    assert!(few.contains("none of the 64 points") && few.contains("are needed"), "{few}");
}
