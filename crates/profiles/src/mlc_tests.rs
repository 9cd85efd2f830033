use numawise_facts::notice::{MlcLineGap, MlcTableGap};
use numawise_facts::{Mix, Target, Workers};

use numawise_units::Latency;

use super::*;

fn sample(name: &str) -> String {
    let path = format!("{}/../../testdata/mlc/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn read(name: &str) -> Profile {
    profile(&sample(name)).unwrap_or_else(|broken| panic!("{name}: {broken:?}"))
}

fn ns(profile: &Profile, from: u32, to: u32) -> f64 {
    let cell = profile.latency_of(NodeId(from), NodeId(to)).expect("a cell");
    cell.latency.measured().expect("a figure").median.0
}

fn rate(profile: &Profile, workers: Workers, target: Target, mix: Mix) -> Reading<f64> {
    let cell = profile.bandwidth_of(workers, target, mix).expect("a cell");
    cell.rate.clone().map(|estimate| estimate.median.0)
}

fn between(profile: &Profile, from: u32, to: u32, mix: Mix) -> Reading<f64> {
    rate(profile, Workers::Node(NodeId(from)), Target::Node(NodeId(to)), mix)
}

fn noticed(profile: &Profile, notice: MembenchNotice) {
    let notices = &profile.header.notices;
    assert!(notices.contains(&notice.clone().into()), "{notice:?} is not among {notices:?}");
}

fn left_out(table: MlcTable, because: MlcTableGap) -> MembenchNotice {
    MembenchNotice::MlcTableLeftOut { table, because }
}

#[test]
fn all_of_a_whole_text_is_read() {
    let profile = read("two-nodes-3.11");
    assert_eq!(profile.header.origin, ProfileOrigin::Mlc("v3.11b".to_owned()));
    assert!(profile.header.complete);
    assert_eq!(profile.header.nodes.iter().map(|node| node.id.0).collect::<Vec<_>>(), [0, 1]);
    let figures = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(from, to)| ns(&profile, from, to));
    assert_eq!(figures, [90.1, 150.2, 151.3, 89.4]);
    let figures = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(from, to)| between(&profile, from, to, Mix::Read));
    assert_eq!(figures, [100_501e6, 45_002e6, 45_103e6, 100_604e6].map(Reading::Measured));
    let peak = |mix| rate(&profile, Workers::Machine, Target::Local, mix);
    assert_eq!(peak(Mix::Read), Reading::Measured(201_001.5e6));
    assert_eq!(peak(Mix::Read1Write1), Reading::Measured(170_004.5e6));
    assert_eq!(peak(Mix::Triad), Reading::Measured(175_005.5e6));
    assert_eq!(
        peak(Mix::NonTemporalWrite).reason().unwrap().to_string(),
        "MLC's text has no bandwidth of the whole machine for nt-write"
    );
    noticed(&profile, MembenchNotice::MlcInSequence);
    noticed(&profile, MembenchNotice::MlcUnchangedLine { latency: Latency(50.5) });
}

#[test]
fn the_curve_under_load_is_the_machines_and_begins_with_the_least() {
    let profile = read("two-nodes-3.11");
    let [curve] = profile.loaded.as_slice() else { panic!("one curve") };
    assert_eq!((curve.workers, curve.mix, curve.from), (Workers::Machine, Mix::Read, NodeId(0)));
    let points = curve.points.measured().unwrap();
    assert_eq!(points.len(), 19);
    assert!(points.windows(2).all(|pair| pair[0].bandwidth.median.0 < pair[1].bandwidth.median.0));
    assert_eq!(points[18].bandwidth.median.0, 200_000e6);
    assert_eq!(points[18].latency, once(numawise_units::Latency(255.2)));
    assert!(points[0].delay.reason().is_some());
}

#[test]
fn transfers_know_writer_reader_and_home() {
    let profile = read("two-nodes-3.11");
    let told: Vec<_> = profile
        .transfers
        .iter()
        .map(|t| {
            let node = |node: &Reading<NodeId>| node.measured().map(|node| node.0);
            let ns = t.latency.measured().unwrap().median.0;
            (node(&t.owner_node), node(&t.reader_node), node(&t.home), t.same_node, ns)
        })
        .collect();
    assert_eq!(
        told,
        [
            (None, None, None, true, 51.5),
            (Some(0), Some(1), Some(0), false, 111.1),
            (Some(1), Some(0), Some(1), false, 112.2),
            (Some(0), Some(1), Some(1), false, 171.1),
            (Some(1), Some(0), Some(0), false, 172.2),
        ]
    );
}

#[test]
fn nodes_without_cpus_are_columns_and_a_dash_is_no_figure() {
    let profile = read("memory-only-node-3.10");
    assert_eq!(profile.header.nodes.len(), 4);
    assert_eq!(profile.latency.len(), 8, "two rows of four");
    assert_eq!(ns(&profile, 1, 2), 330.5);
    let cell = &profile.latency_of(NodeId(0), NodeId(3)).unwrap().latency;
    assert!(cell.reason().unwrap().to_string().contains("a dash"), "{cell:?}");
    assert!(profile.latency_of(NodeId(2), NodeId(0)).is_none());
    assert_eq!(between(&profile, 1, 2, Mix::Read), Reading::Measured(15_106e6));
    noticed(&profile, MembenchNotice::MlcWithPrefetchers);
    let [curve] = profile.loaded.as_slice() else { panic!("one curve") };
    assert_eq!(curve.points.reason().unwrap().to_string(), "MLC's text has no loaded latencies");
    assert_eq!(profile.transfers.len(), 1);
    assert!(profile.transfers[0].latency.reason().is_some());
}

#[test]
fn several_commands_in_one_file() {
    let profile = read("one-command-each-3.5");
    assert_eq!(profile.header.origin, ProfileOrigin::Mlc("v3.5".to_owned()));
    assert_eq!(ns(&profile, 0, 0), 77.7);
    assert_eq!(profile.latency[0].bytes, Reading::Measured(Bytes(2_000_000_000)));
    assert_eq!(between(&profile, 0, 0, Mix::Read1Write1), Reading::Measured(16_500.5e6), "-W5");
    assert_eq!(rate(&profile, Workers::Machine, Target::Local, Mix::Read), Reading::Measured(20_001.23e6));
    let without_nodes = |notice: &Notice| {
        let Notice::Membench(MembenchNotice::MlcLineLeftOut { line, because }) = notice else { return false };
        line.contains("194.3 core clocks") && *because == MlcLineGap::NodesNotNamed
    };
    assert!(profile.header.notices.iter().any(without_nodes), "{:?}", profile.header.notices);
    noticed(&profile, MembenchNotice::MlcMaximumBandwidths);
}

#[test]
fn sockets_of_old_versions_are_taken_for_nodes() {
    let profile = read("sockets-3.1");
    assert_eq!(ns(&profile, 0, 1), 120.5);
    assert_eq!(profile.transfers.len(), 3);
    noticed(&profile, MembenchNotice::MlcSocketsTakenForNodes);
    let cell = between(&profile, 0, 1, Mix::Read);
    assert_eq!(cell.reason().unwrap().to_string(), "MLC's text has no bandwidths between nodes");
}

#[test]
fn lines_of_windows_are_lines() {
    let text = sample("two-nodes-3.11").replace('\n', "\r\n");
    assert_eq!(profile(&text).unwrap(), read("two-nodes-3.11"));
}

#[test]
fn clocks_are_no_times_and_a_second_table_is_not_the_first() {
    let matrix = "Numa node  0\n 0  200.5\n";
    let text = format!("Measuring idle latencies (in clocks)...\n{matrix}");
    let told = profile(&text).unwrap();
    assert!(told.latency.is_empty());
    noticed(&told, left_out(MlcTable::IdleLatencies, MlcTableGap::Unit("clocks".to_owned())));
    let first = "Measuring idle latencies (in ns)...\nNuma node  0\n 0  100.5\n\n";
    let second = "Measuring idle latencies (in ns)...\nNuma node  0\n 0  99.5\n";
    let told = profile(&format!("{first}{second}")).unwrap();
    assert_eq!(ns(&told, 0, 0), 100.5);
    noticed(&told, left_out(MlcTable::IdleLatencies, MlcTableGap::Twice));
}

#[test]
fn the_peak_is_taken_and_not_a_maximum_in_either_order() {
    let peak = "Measuring Peak Injection Memory Bandwidths for the system\nALL Reads : 100.0\n";
    let most = "Measuring Maximum Memory Bandwidths for the system\nALL Reads : 120.0\n";
    for text in [format!("{peak}{most}"), format!("{most}{peak}")] {
        let told = profile(&text).unwrap();
        assert_eq!(rate(&told, Workers::Machine, Target::Local, Mix::Read), Reading::Measured(100e6));
        let peaks = MlcTableGap::OtherTable(MlcTable::PeakBandwidths);
        noticed(&told, left_out(MlcTable::MaximumBandwidths, peaks));
    }
}

#[test]
fn traffic_that_is_no_mix_of_ours_is_left_out_with_a_notice() {
    let text = "Command line parameters: --bandwidth_matrix -W8\nMeasuring Memory Bandwidths between nodes within system\n\
                Numa node 0\n 0 1.5\nMeasuring something new\n 1 2\n";
    let told = profile(text).unwrap();
    assert!(told.bandwidth.iter().all(|cell| cell.rate.measured().is_none()));
    noticed(&told, left_out(MlcTable::Bandwidths, MlcTableGap::Traffic("8".to_owned())));
    let (line, because) = ("Measuring something new".to_owned(), MlcLineGap::NotKnown);
    noticed(&told, MembenchNotice::MlcLineLeftOut { line, because });
}

#[test]
fn a_text_that_ends_early_is_not_complete() {
    let whole = sample("two-nodes-3.11");
    let end = whole.find("Inject\t").unwrap();
    let told = profile(&whole[..end]).unwrap();
    assert!(!told.header.complete);
    noticed(&told, left_out(MlcTable::LoadedLatencies, MlcTableGap::CutOff));
    assert_eq!(ns(&told, 0, 1), 150.2, "what is there is kept");
}

/// Wherever a text is cut off, it is read as far as it goes or refused, and never taken for more than it is.
#[test]
fn no_cut_makes_up_a_figure() {
    let whole = sample("two-nodes-3.11");
    let full = profile(&whole).unwrap();
    let figures = |p: &Profile| -> Vec<u64> {
        let latencies = p.latency.iter().filter_map(|cell| cell.latency.measured()).map(|e| e.median.0);
        let rates = p.bandwidth.iter().filter_map(|cell| cell.rate.measured()).map(|e| e.median.0);
        let points = p.loaded.iter().filter_map(|curve| curve.points.measured()).flatten();
        let points = points.flat_map(|point| [point.latency.median.0, point.bandwidth.median.0]);
        let transfers = p.transfers.iter().filter_map(|t| t.latency.measured()).map(|e| e.median.0);
        latencies.chain(rates).chain(points).chain(transfers).map(f64::to_bits).collect()
    };
    let known = figures(&full);
    for end in 0..whole.len() {
        if let Ok(told) = profile(&whole[..end]) {
            assert!(figures(&told).iter().all(|figure| known.contains(figure)), "cut at {end}");
        }
    }
}

#[test]
fn what_is_not_mlcs_is_not_recognised() {
    for text in ["", "hello", "Measuring the height of trees", "{\"schema\": 1}"] {
        assert!(!recognised(text), "{text}");
    }
    assert!(recognised("Measuring Loaded Latencies for the system\n"));
    assert!(recognised("Intel(R) Memory Latency Checker - v3.11\n"));
}

/// Two hundred thousand rows took minutes, each compared with all before it.
#[test]
fn tables_beyond_any_machine_are_refused_at_their_first_line_too_many() {
    let head =
        "Intel(R) Memory Latency Checker - v3.11\nMeasuring idle latencies (in ns)...\n\t\tNuma node\n";
    let rows = |number: usize| (0..number).map(|k| format!("{k}\t81.1\n")).collect::<String>();
    let columns = |number: usize| (0..number).map(|k| format!("\t{k}")).collect::<String>();
    let loads = "00000\t200.1\t1000.1\n".repeat(200_000);
    let noise = "Measuring the unknown\n".repeat(200_000);
    for (text, words) in [
        (format!("{head}Numa node\t0\n{}", rows(200_000)), "more than 256 rows"),
        (
            format!("{head}Numa node{}\n{}", columns(1000), rows(3)),
            "there are 1000 columns, and 256 is the most",
        ),
        (format!("{head}Numa node\t0\t0\n0\t81.1\t81.2\n"), "there is a second column of 0"),
        (format!("{head}Numa node\t0\n4000000000\t81.1\n"), "node 4000000000 is above 1023"),
        (format!("{head}Numa node\t0\n0\t5e300.0\n"), "found '5e300.0' for a figure above 0 and at most 1e9"),
        (
            format!("{head}Numa node\t0\n0\t81.1\nMeasuring Loaded Latencies for the system\n{loads}"),
            "more than 1000 loads",
        ),
        (format!("{head}Numa node\t0\n0\t81.1\n{noise}"), "more than 1000 lines"),
    ] {
        match profile(&text) {
            Err(MlcError::Table(broken)) => assert!(broken.problem.contains(words), "{broken:?}"),
            other => panic!("{words}: {other:?}"),
        }
    }
}
