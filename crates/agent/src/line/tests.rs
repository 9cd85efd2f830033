use super::*;

fn shown(mut line: Line) -> std::string::String {
    std::string::String::from_utf8(line.finished().to_vec()).unwrap()
}

#[test]
fn numbers_and_cpus_are_written_as_the_kernel_does() {
    assert_eq!(
        shown(Line::new().number(0).text(b" ").number(usize::MAX)),
        "numawise: 0 18446744073709551615\n"
    );
    assert_eq!(shown(Line::new().cpus(&[0b1_0000_1111, 1 << 63])), "numawise: 0-3,8,127\n");
    assert_eq!(shown(Line::new().cpus(&[u64::MAX, 1])), "numawise: 0-64\n");
    assert_eq!(shown(Line::new().cpus(&[])), "numawise: \n");
}

#[test]
fn a_line_that_is_too_long_still_ends() {
    let line = shown(Line::new().text(&[b'x'; 1000]));
    assert_eq!(line.len(), ROOM);
    assert!(line.ends_with("x\n"));
}
