use super::*;

/// A line as Linux 6 prints it, with the given name, state and tail.
fn line(name: &str, state: &str) -> String {
    format!(
        "4711 ({name}) {state} 17 4711 4711 0 -1 4194304 321 9 7 1 150 25 3 4 20 0 8 0 987654 1000000 250 \
         18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 5 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    )
}

#[test]
fn all_fields_are_those_of_proc_5() {
    let line = line("iso3dfd", "R");
    let stat = TaskStat::parse(line.as_bytes()).unwrap();
    let expected = TaskStat {
        name: b"iso3dfd",
        state: 'R',
        parent: 17,
        kernel: false,
        minor_faults: 321,
        major_faults: 7,
        ticks: 175,
        threads: 8,
        start: 987_654,
        cpu: CpuId(5),
    };
    assert_eq!(stat, expected);
}

#[test]
fn threads_of_the_kernel_are_told_by_their_flag() {
    let kernel = line("kworker/0:1", "I").replace(" 4194304 ", " 69238880 ");
    assert!(TaskStat::parse(kernel.as_bytes()).unwrap().kernel);
    assert_eq!(TaskStat::parse(kernel.as_bytes()).unwrap().state, 'I');
    let broken = kernel.replace(" 69238880 ", " 0x4208060 ");
    assert!(TaskStat::parse(broken.as_bytes()).is_err());
}

#[test]
fn names_may_hold_anything() {
    for name in ["a b", "(sd-pam)", "x) R 1 2 (y", ")", "(", "", " ", "a\nb", "tmux: server (1)"] {
        let line = line(name, "S");
        let stat = TaskStat::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(stat.name, name.as_bytes());
        assert_eq!((stat.parent, stat.cpu), (17, CpuId(5)), "{name}");
    }
    let mut bytes = line("X", "S").into_bytes();
    let at = bytes.iter().position(|&byte| byte == b'X').unwrap();
    bytes[at] = 0xff;
    assert_eq!(TaskStat::parse(&bytes).unwrap().name, [0xff]);
}

#[test]
fn every_truncation_that_loses_a_field_is_refused() {
    let line = line("a) b", "R");
    // Field 39 is the `5` behind `17`; all shorter beginnings lack it.
    let needed = line.rfind(" 17 5 0").unwrap() + " 17 5".len();
    for end in 0..needed {
        let problem = TaskStat::parse(&line.as_bytes()[..end]).expect_err(&line[..end]);
        assert!(problem.expected.contains("39 fields"));
    }
    TaskStat::parse(&line.as_bytes()[..needed]).unwrap();
}

#[test]
fn what_is_no_number_is_refused() {
    let good = line("a", "R");
    for (from, to) in [
        (" 321 ", " -1 "),
        (" 321 ", " 3x1 "),
        (" 987654 ", " 99999999999999999999999 "),
        (" 17 5 0", " 17 cpu5 0"),
        (" R ", " RR "),
        (" 150 25 ", " 18446744073709551615 25 "),
    ] {
        let broken = good.replacen(from, to, 1);
        assert_ne!(broken, good);
        assert!(TaskStat::parse(broken.as_bytes()).is_err(), "{from} -> {to}");
    }
    for text in ["", "\n", "garbage", "4711 iso3dfd R 17", ")(", "\0\0\0"] {
        assert!(TaskStat::parse(text.as_bytes()).is_err(), "{text:?}");
    }
}
