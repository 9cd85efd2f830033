use super::*;

#[test]
fn three_numbers() {
    let stat = SchedStat::parse(b"123456789 4242 17\n").unwrap();
    assert_eq!(stat.cpu_time, Nanoseconds(123_456_789));
    assert_eq!(stat.run_delay, Nanoseconds(4242));
    assert_eq!(stat.slices, 17);
    assert_eq!(SchedStat::parse(b"0 0 0\n").unwrap().slices, 0);
}

#[test]
fn anything_else_is_refused() {
    for text in ["", "\n", "1 2", "1 2 ", "1 2 x", "-1 2 3", "1,2,3", "99999999999999999999 1 1", "(none)"] {
        let problem = SchedStat::parse(text.as_bytes()).expect_err(text);
        assert_eq!(problem.found, text.trim_end());
    }
}
