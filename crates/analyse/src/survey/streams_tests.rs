use super::*;

fn access(stream: u32, stride: i64, (offset, bytes): (u64, u32), address: u64) -> LoopAccess {
    LoopAccess {
        address: 0x10,
        reads: true,
        writes: false,
        bytes,
        elements: 1,
        stride: Reading::Measured(stride),
        stream,
        offset,
        is_of_stack: false,
        seen: Reading::Measured((address, address + 1_000_000)),
        variable: Reading::unavailable("none"),
        nodes: vec![numawise_units::NodeId(1)],
    }
}

fn share(of: &LoopStream) -> f64 {
    of.of_lines.measured().unwrap().0
}

#[test]
fn an_array_that_is_read_as_it_lies_is_used_wholly() {
    let found = streams(&[access(0, 32, (0, 32), 0x1000), access(1, -8, (0, 8), 0x90_0000)]);
    assert_eq!(found.iter().map(share).collect::<Vec<_>>(), [1.0, 1.0]);
    assert_eq!((found[0].fresh.clone(), found[0].bytes), (Reading::Measured(32), 32));
}

#[test]
fn neighbours_of_a_stencil_are_counted_once() {
    let of = |offset| access(0, 8, (offset, 8), 0x1000 + offset);
    let found = streams(&[of(0), of(8), of(16)]);
    assert_eq!((found.len(), found[0].bytes, found[0].fresh.clone()), (1, 24, Reading::Measured(8)));
    assert_eq!(found[0].nodes.len(), 1);
}

#[test]
fn structures_are_used_by_their_members() {
    // Two of eight members of 8 bytes, through one pointer and through two.
    let one = streams(&[access(0, 64, (0, 8), 0x1000), access(0, 64, (24, 8), 0x1018)]);
    let two = streams(&[access(0, 64, (0, 8), 0x1000), access(1, 64, (0, 8), 0x1018)]);
    assert_eq!(one, two);
    assert_eq!((share(&one[0]), one[0].parts.clone()), (0.25, vec![(0, 8), (24, 32)]));
    // 24 bytes, of which 8: three lines hold eight of them.
    let three = streams(&[access(0, 24, (0, 8), 0x1000)]);
    assert!((share(&three[0]) - 64.0 / 192.0).abs() < 1e-9);
    // Structures of a line and a half, begun anywhere.
    let wide = streams(&[access(0, 96, (0, 8), 0x1008)]);
    assert!((share(&wide[0]) - 0.125).abs() < 1e-9, "{wide:?}");
}

#[test]
fn a_column_uses_one_element_of_each_line() {
    let found = streams(&[access(0, 8192, (0, 8), 0x1000)]);
    assert!((share(&found[0]) - 0.125).abs() < 1e-9);
    assert!((share(&streams(&[access(0, 1 << 30, (0, 4), 0x1000)])[0]) - 0.0625).abs() < 1e-9);
}

#[test]
fn what_stays_at_its_place_is_no_stream_and_what_is_unknown_stays_so() {
    let gathered =
        LoopAccess { stride: Reading::unavailable("gathered"), elements: 8, ..access(1, 0, (0, 32), 0) };
    let found = streams(&[access(0, 0, (0, 8), 0x1000), gathered]);
    assert_eq!((found.len(), found[0].elements), (1, 8));
    assert!(found[0].of_lines.measured().is_none() && found[0].fresh.measured().is_none());
}
