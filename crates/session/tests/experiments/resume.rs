//! A recorded experiment, opened again.

use std::sync::atomic::AtomicBool;

use crate::support::{self, request};
use numawise_facts::Ignore;
use numawise_session::experiment::{Experiment, ExperimentRequest};
use numawise_session::{Error, here};

fn open(request: ExperimentRequest) -> Result<Experiment, Error> {
    Experiment::open(request, here::full().unwrap().machine, &mut Ignore, &AtomicBool::new(false))
}

#[test]
fn what_is_recorded_is_continued_unless_it_is_another_experiment() {
    let _alone = support::alone();
    let folder = tempfile::tempdir().unwrap();
    let sane = request(folder.path(), "true");
    assert_eq!(open(sane.clone()).unwrap().study().trials.len(), 1);
    let again = open(sane.clone()).unwrap();
    assert_eq!(again.study().trials.len(), 1, "the first run is not done twice");
    drop(again);
    let other = open(request(folder.path(), "false"));
    assert!(matches!(other, Err(Error::OtherStudy { .. })));
    let stricter = open(ExperimentRequest { margin: "9%".parse().unwrap(), ..sane.clone() });
    let Err(Error::OtherSettings { recorded, now, .. }) = stricter else { panic!() };
    assert_eq!((recorded.margin, now.margin), (0.05, 0.09));
    let fresh = open(ExperimentRequest { margin: "9%".parse().unwrap(), fresh: true, ..sane });
    assert_eq!(fresh.unwrap().study().header.margin, 0.09);
}
