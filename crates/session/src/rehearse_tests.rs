use numawise_units::NodeId;

use super::*;

fn request(name: &str) -> RehearsalRequest {
    RehearsalRequest {
        name: name.to_owned(),
        machine: numawise_machine::from_input(name).unwrap(),
        profile: None,
        figures: GivenFigures::default(),
        slowdown: 1000.0,
        memory: None,
        cores_per_node: None,
        limit: Duration::from_secs(60),
        work: PathBuf::from("/nowhere"),
    }
}

/// Each recorded machine becomes an emulated one, at once or by the reduction that its refusal names.
#[test]
fn every_recorded_machine_can_be_emulated_or_names_the_reduction_that_can() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "xml")).collect();
    assert!(files.len() >= 10, "{files:?}");
    let names = files.iter().map(|path| path.to_str().unwrap().to_owned());
    for name in names.chain(["pack:16 [numa(memory=1GiB)] core:16 pu:8".to_owned()]) {
        let request = request(&name);
        let derived = match emulated(&request) {
            Err(RehearsalError::TooManyCpus { cores: Some(cores), .. }) => {
                let reduced = RehearsalRequest { cores_per_node: Some(cores), ..request.clone() };
                let derived = emulated(&reduced).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(derived.notices.iter().any(|notice| notice.code() == "NW811"), "{name}");
                derived
            }
            derived => derived.unwrap_or_else(|error| panic!("{name}: {error}")),
        };
        let real = request.machine.nodes.iter().filter(|node| !node.cpus.is_empty() || !node.has_no_memory());
        assert_eq!(derived.nodes.len(), real.count(), "{name}");
        assert!(derived.machine.cpu_count() <= reduce::MOST_CPUS, "{name}");
    }
}

#[test]
fn what_cannot_be_rehearsed_is_said_with_what_was_expected() {
    let good = request("pack:2 [numa(memory=1GiB)] core:2 pu:1");
    let refused = |change: &dyn Fn(&mut RehearsalRequest)| {
        let mut request = good.clone();
        change(&mut request);
        emulated(&request).unwrap_err()
    };
    assert!(matches!(refused(&|of| of.slowdown = 0.0), RehearsalError::Slowdown { .. }));
    assert!(matches!(refused(&|of| of.cores_per_node = Some(0)), RehearsalError::NoCores));
    let small = refused(&|of| of.memory = Some(Bytes::mib(100)));
    assert!(matches!(small, RehearsalError::MemoryLimitTooSmall { least, .. } if least == Bytes::mib(256)));
    let stranger = refused(&|of| of.figures.latency.of_node.push((NodeId(7), Vec::new())));
    assert!(matches!(stranger, RehearsalError::NoSuchNode { node: NodeId(7), .. }));
}
