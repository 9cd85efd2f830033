use numawise_facts::Metric;

use super::super::tests::{open, request};
use super::*;

#[test]
fn a_start_is_measured_however_long_the_first_run_takes() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = open(request(folder.path(), &["sleep", "0.12"])).unwrap();
    let trial = experiment.study().trials[0].wall;
    let start = *experiment.study().header.start_cost.measured().unwrap();
    assert!(start > Nanoseconds(0) && start < trial, "{start} of {trial}");
}

#[test]
fn a_metric_of_its_own_leaves_the_start_out() {
    let folder = tempfile::tempdir().unwrap();
    let metric = Metric::Output { regex: "([0-9]+)".to_owned(), higher_is_better: false };
    let request = ExperimentRequest { metric, ..request(folder.path(), &["sh", "-c", "echo 3"]) };
    let experiment = open(request).unwrap();
    assert_eq!(experiment.study().header.start_cost.measured(), None);
}

#[test]
fn where_the_program_cannot_be_loaded_what_does_nothing_counts() {
    let folder = tempfile::tempdir().unwrap();
    let header = open(request(folder.path(), &["true"])).unwrap().study().header.clone();
    let stop = AtomicBool::new(false);
    let of = |program: &str| {
        let request = request(folder.path(), &[program]);
        cost(&request, &header, &mut numawise_facts::Ignore, &stop).measured().copied()
    };
    assert!(of("/no/such/program") > Some(Nanoseconds(0)));
}
