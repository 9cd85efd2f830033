use super::*;

const STAT: &[u8] = b"cpu  10 1 5 100 7 2 3 40 9 0\ncpu0 1 1 1 1 1 1 1 30 0 0\ncpu1 1 1 1 1 1 1 1 10 0 0\nintr 5\ncpu7 1 1 1 1 1 1 1 1\n";

#[test]
fn the_first_line_is_of_all() {
    let all = CpuTicks::of_all(STAT).unwrap();
    assert_eq!((all.busy(), all.idle, all.steal, all.total()), (21, 100, 40, 168));
}

#[test]
fn the_lines_below_are_of_each() {
    let steal: Vec<_> = CpuTicks::by_cpu(STAT).map(|(cpu, ticks)| (cpu.0, ticks.steal)).collect();
    assert_eq!(steal, [(0, 30), (1, 10)]);
    assert_eq!(CpuTicks::by_cpu(b"cpu 1 2 3\ncpu0 broken\ncpuset 1 1 1 1 1 1 1 1\n").count(), 0);
}

#[test]
fn broken_texts_are_refused() {
    for text in [
        "",
        "\n",
        "cpu",
        "cpu 1 2 3 4 5 6 7",
        "cpu0 1 2 3 4 5 6 7 8",
        "cpu 1 2 x 4 5 6 7 8",
        "cpu -1 2 3 4 5 6 7 8",
    ] {
        let problem = CpuTicks::of_all(text.as_bytes()).expect_err(text);
        assert!(problem.expected.contains("in ticks"));
    }
    let max = u64::MAX;
    let all = CpuTicks::of_all(format!("cpu {max} {max} 3 4 5 6 7 8").as_bytes()).unwrap();
    assert_eq!(all.total(), max, "no overflow");
}
