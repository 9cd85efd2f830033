use numawise_facts::Ignore;

use super::*;

fn request(nodes: Option<&str>, save: SaveRequest) -> MeasureRequest {
    MeasureRequest {
        depth: Depth::Quick,
        mixes: Vec::new(),
        nodes: nodes.map(|nodes| nodes.parse().unwrap_or_default()),
        max_memory: None,
        seed: Some(1),
        save,
        version: "0".to_owned(),
    }
}

fn two_nodes() -> Machine {
    numawise_machine::from_synthetic("pack:2 numa:1 core:2 pu:1").unwrap()
}

#[test]
fn nodes_that_are_not_there_are_named_with_those_that_are() {
    let refused =
        |nodes| MemoryBenchmark::new(request(Some(nodes), SaveRequest::Nowhere), two_nodes()).unwrap_err();
    assert!(matches!(refused(""), Error::NoNodes { .. }));
    let Error::NoSuchNodes { unknown, exist } = refused("1-3") else { panic!() };
    assert_eq!((unknown.to_string(), exist.to_string()), ("2-3".to_owned(), "0-1".to_owned()));
}

#[test]
fn a_part_of_the_machine_hides_no_profile_of_the_whole() {
    let of = |nodes, save| MemoryBenchmark::new(request(nodes, save), two_nodes()).unwrap().destination();
    let partial = of(Some("1"), SaveRequest::InFolder);
    assert!(matches!(partial, Destination::Nowhere(NotSaved::Partial)));
    let unwanted = of(None, SaveRequest::Nowhere);
    assert!(matches!(unwanted, Destination::Nowhere(NotSaved::NotWanted)));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("part.json");
    assert!(
        matches!(of(Some("1"), SaveRequest::File(file.clone())), Destination::File(path) if path == file)
    );
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/such/folder.json");
    let refused = MemoryBenchmark::new(request(None, SaveRequest::File(path)), two_nodes());
    assert!(matches!(refused, Err(Error::Profile(_))), "{refused:?}");
}

#[test]
fn a_flag_that_is_up_from_the_beginning_leaves_nothing_to_keep() {
    let machine = crate::here::full().unwrap().machine;
    let benchmark = MemoryBenchmark::new(request(None, SaveRequest::Nowhere), machine).unwrap();
    let stopped = benchmark.run(&mut Ignore, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(Error::InterruptedBeforeMeasuring)), "{stopped:?}");
}
