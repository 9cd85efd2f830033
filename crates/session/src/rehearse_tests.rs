use numawise_units::NodeId;

use super::*;

fn request(name: &str) -> RehearsalRequest {
    RehearsalRequest {
        name: name.to_owned(),
        machine: numawise_machine::from_input(name).unwrap(),
        profile: None,
        figures: GivenFigures::default(),
        slowdown: None,
        memory: None,
        cores_per_node: None,
        limit: Duration::from_secs(60),
        work: PathBuf::from("/nowhere"),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder with this end, in order; none where it is not there.
fn files(folder: &Path, end: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|of| of == end))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    files.sort();
    files
}

/// The machine becomes an emulated one, at once or by the reduction that its refusal names.
fn is_derived(request: &RehearsalRequest) {
    let name = &request.name;
    let derived = match emulated(request) {
        Err(RehearsalError::TooManyCpus { cores: Some(cores), .. }) => {
            let reduced = RehearsalRequest { cores_per_node: Some(cores), ..request.clone() };
            let derived = emulated(&reduced).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(derived.notices.iter().any(|notice| notice.code() == "NW811"), "{name}");
            let more = RehearsalRequest { cores_per_node: Some(cores + 1), ..request.clone() };
            let is_all = emulated(&more).is_ok_and(|of| of.cpus == derived.cpus);
            assert!(is_all || emulated(&more).is_err(), "{name}: {cores} cores are not the most");
            derived
        }
        derived => derived.unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    let real = request.machine.nodes.iter().filter(|node| !node.cpus.is_empty() || !node.has_no_memory());
    assert_eq!(derived.nodes.len(), real.count(), "{name}");
    assert!(derived.machine.cpu_count() <= reduce::MOST_CPUS, "{name}");
}

#[test]
fn every_recorded_machine_can_be_emulated_or_names_the_reduction_that_can() {
    let machines = files(&root().join("testdata/machines"), "xml");
    assert!(machines.len() >= 10, "{machines:?}");
    let described = ["pack:16 [numa(memory=1GiB)] core:16 pu:8".to_owned()];
    machines.iter().chain(&described).for_each(|name| is_derived(&request(name)));
}

/// Machines that others have recorded, where they are beside the source.
#[test]
fn every_machine_of_others_can_be_emulated_or_names_the_reduction_that_can() {
    let machines = files(&root().join("../shared/machines"), "xml");
    if machines.is_empty() {
        return eprintln!("SKIPPED: ../shared/machines is not there");
    }
    machines.iter().for_each(|name| is_derived(&request(name)));
}

/// Each profile gives its figures to a machine with its nodes, or its refusal names the pair that it lacks; and to no other.
#[test]
fn every_recorded_profile_gives_its_figures_to_a_machine_with_its_nodes() {
    let kept = files(&root().join("testdata/profiles"), "json");
    let of_mlc = files(&root().join("testdata/mlc"), "txt");
    assert!(!kept.is_empty() && of_mlc.len() >= 4, "{kept:?} {of_mlc:?}");
    for file in kept.iter().chain(&of_mlc) {
        let profile = numawise_profiles::read_profile(Path::new(file)).unwrap();
        let nodes = profile.header.nodes.len();
        for (packages, fits) in [(nodes, true), (nodes + 1, false)] {
            let machine = format!("pack:{packages} [numa(memory=1GiB)] core:2 pu:1");
            let request =
                RehearsalRequest { profile: Some((file.clone(), profile.clone())), ..request(&machine) };
            match emulated(&request) {
                Err(RehearsalError::ProfileDoesNotFit { missing: (Some(_), Some(_)), .. }) => {
                    let is_whole = kept.contains(file);
                    assert!(!fits || !is_whole, "{file}");
                }
                derived => assert_eq!(
                    derived.map(|of| of.nodes.len()).map_err(|e| e.to_string()),
                    Ok(nodes),
                    "{file}"
                ),
            }
        }
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
    assert!(matches!(refused(&|of| of.slowdown = Some(0.0)), RehearsalError::Slowdown { .. }));
    assert!(matches!(refused(&|of| of.cores_per_node = Some(0)), RehearsalError::NoCores));
    let small = refused(&|of| of.memory = Some(Bytes::mib(100)));
    assert!(matches!(small, RehearsalError::MemoryLimitTooSmall { least, .. } if least == Bytes::mib(256)));
    let stranger = refused(&|of| of.figures.latency.of_node.push((NodeId(7), Vec::new())));
    assert!(matches!(stranger, RehearsalError::NoSuchNode { node: NodeId(7), .. }));
}

/// A full disk, a folder that is gone: what the guest made is not lost, and the message says where it is.
#[test]
fn what_cannot_be_brought_back_is_kept_and_named() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(folder.path().join(script::FILES)).unwrap();
    let made = |k: usize| folder.path().join(script::FILES).join(k.to_string());
    std::fs::write(made(0), "a").unwrap();
    std::fs::write(made(2), "c").unwrap();
    let command = RehearsedCommand {
        words: Vec::new(),
        beside: Vec::new(),
        directory: home.path().to_owned(),
        environment: Vec::new(),
        outputs: ["a.nw", "not-written.nw", "no/such/c.nw"].map(PathBuf::from).to_vec(),
    };
    match bring_back(&command, folder.path()).unwrap_err() {
        RehearsalError::NotBroughtBack { path, kept, .. } => {
            assert_eq!((path, kept), (home.path().join("no/such/c.nw"), made(2)));
        }
        other => panic!("{other}"),
    }
    assert_eq!(std::fs::read_to_string(home.path().join("a.nw")).unwrap(), "a");
    assert!(made(2).exists());
    let written = bring_back(&RehearsedCommand { outputs: vec!["a.nw".into()], ..command }, folder.path());
    assert_eq!(written.unwrap(), [PathBuf::from("a.nw")]);
}

#[test]
fn faster_memory_is_slowed_down_more_unless_somebody_says_how_much() {
    let scale = |bandwidth: f64, slowdown: Option<f64>| {
        let mut request = request("pack:2 [numa(memory=1GiB)] core:2 pu:1");
        request.figures.bandwidth.of_all = vec![BytesPerSecond(bandwidth)];
        request.slowdown = slowdown;
        emulated(&request).unwrap().machine.description().timing.as_ref().unwrap().scale
    };
    assert_eq!([20e9, 100e9, 400e9].map(|rate| scale(rate, None)), [1000.0, 2500.0, 10000.0]);
    assert_eq!(scale(400e9, Some(300.0)), 300.0);
}
