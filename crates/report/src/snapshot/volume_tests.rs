use numawise_facts::Reading;
use numawise_units::Bytes;

use super::*;

fn sent(from: u32, to: u32, bytes: u64) -> TrafficCell {
    TrafficCell { from, to, messages: 1, bytes: Bytes(bytes) }
}

fn volume(by_rank: TrafficMatrix, by_host: TrafficMatrix, hosts: &[&str]) -> VolumeTables {
    let hosts = hosts.iter().map(|name| (*name).to_owned()).collect();
    VolumeTables { by_rank, by_host: Reading::Measured(by_host), hosts, lost: (0, Bytes(0)) }
}

fn only(block: &Block) -> &Block {
    let Block::Only(Face::Html, only) = block else { panic!("a terminal shows it: {block:?}") };
    only
}

#[test]
fn what_was_not_sent_has_no_figure_and_neighbours_have_a_range() {
    let by_rank = TrafficMatrix { size: 2, group: 4, cells: vec![sent(0, 1, 100), sent(1, 1, 10)] };
    let by_host = TrafficMatrix { size: 1, group: 1, cells: vec![sent(0, 0, 110)] };
    let blocks = blocks(&volume(by_rank, by_host, &["box"]));
    let [block] = blocks.as_slice() else { panic!("one computer has no matrix: {blocks:?}") };
    let Block::Matrices(matrices) = only(block) else { panic!("{block:?}") };
    let titles: Vec<&str> = matrices.iter().map(|matrix| matrix.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Bytes from rank to rank, 4 neighbours in a row",
            "Messages from rank to rank, 4 neighbours in a row"
        ]
    );
    let names: Vec<&str> = matrices[0].rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["0-3", "4-7"]);
    let figure = |from: usize, to: usize| match &matrices[0].rows[from].1[to] {
        MatrixCell::Figure(figure) => figure.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (figure(0, 0).number.as_str(), figure(0, 0).hover.as_str()),
        ("-", "0-3 to 0-3: nothing was sent")
    );
    assert!((figure(0, 1).depth - 100.0).abs() < 1e-9);
    assert_eq!(figure(0, 1).hover, "0-3 to 4-7: 100 B in 1 message");
}

#[test]
fn more_than_can_be_read_is_a_map_with_the_greatest_beside_it() {
    let cells = (0..40).map(|k| sent(k, (k + 1) % 40, 1 << (k / 2))).collect();
    let by_rank = TrafficMatrix { size: 40, group: 1, cells };
    let by_host = TrafficMatrix { size: 2, group: 2, cells: vec![sent(0, 1, 5)] };
    let of = volume(by_rank, by_host, &["a", "b", "c"]);
    let blocks = blocks(&of);
    let Block::HeatMaps(maps) = only(&blocks[0]) else { panic!("{:?}", blocks[0]) };
    assert_eq!((maps.len(), maps[0].cells.len()), (2, 40));
    assert!((maps[0].cells[39].depth - 1.0).abs() < 1e-9 && maps[0].cells[0].depth < 0.1);
    let Block::Table(pairs) = only(&blocks[1]) else { panic!("{:?}", blocks[1]) };
    assert_eq!(pairs.rows.len(), PAIRS);
    let Block::Matrices(hosts) = only(&blocks[2]) else { panic!("{:?}", blocks[2]) };
    let names: Vec<&str> = hosts[0].rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a to b", "c to c"]);
    let data = data(&of);
    assert_eq!((data.as_array().unwrap().len(), data[0]["cells"][0].as_u64()), (1, Some(1)), "{data}");
}

#[test]
fn a_short_figure_keeps_two_digits() {
    let back = |short: u64| (short as f64 / 32.0).exp2() - 1.0;
    for value in [0, 1, 2, 7, 100, 1234, 98_765, u64::MAX] {
        let found = back(short(value));
        assert!((found - value as f64).abs() <= 0.02 * value as f64, "{value}: {found}");
    }
}
