use std::path::Path;

use super::*;
use crate::fixture::Tree;

const TICK: Nanoseconds = Nanoseconds(10_000_000);
const SECOND: Nanoseconds = Nanoseconds(1_000_000_000);

fn at(text: &str) -> Result<HostCpu, Error> {
    HostCpu::parse(text.as_bytes(), TICK).map_err(|problem| problem.at(Path::new("/proc/stat")))
}

fn noise(
    before: &Result<HostCpu, Error>,
    after: &Result<HostCpu, Error>,
    ours: Nanoseconds,
    wall: Nanoseconds,
) -> HostNoise {
    super::noise(before, after, Reading::Measured(ours), wall)
}

#[test]
fn shares_are_of_the_whole_machine() {
    // Four CPUs, one second: 400 ticks. The trial used 1 s, others 1 s, the hypervisor took 0.2 s.
    let before = at("cpu  1000 0 500 9000 100 0 50 30 7 0\ncpu0 1 1\n");
    let after = at("cpu  1150 10 530 9170 110 5 55 50 9 0\n");
    let noise = noise(&before, &after, SECOND, SECOND);
    assert_eq!(noise.steal, Reading::Measured(Ratio(0.05)));
    let others = noise.other_load.measured().unwrap().0;
    assert!((others - 0.25).abs() < 1e-9, "{others}");
}

#[test]
fn without_the_time_of_the_trial_that_of_others_is_missing() {
    let (before, after) = (at("cpu 0 0 0 0 0 0 0 0\n"), at("cpu 100 0 0 100 0 0 0 10\n"));
    let noise = super::noise(&before, &after, Reading::unavailable("killed"), SECOND);
    assert_eq!(noise.other_load, Reading::unavailable("killed"));
    assert!(noise.steal.measured().is_some());
}

#[test]
fn each_cpu_is_told_by_itself_and_idle_ones_are_left_out() {
    let before =
        at("cpu 0 0 0 0 0 0 0 0\ncpu0 5 0 0 0 0 0 0 0\ncpu1 5 0 0 0 0 0 0 0\ncpu3 5 0 0 0 0 0 0 0\n");
    let after = at(
        "cpu 9 0 0 9 0 0 0 0\ncpu0 6 0 2 1 1 0 0 9\ncpu1 5 0 0 9 0 0 0 0\ncpu3 9 0 0 0 0 0 0 0\nintr 1 2\n",
    );
    let busy = noise(&before, &after, Nanoseconds(0), SECOND).busy_cpus;
    let ticks = |n: u64| Nanoseconds(n * TICK.0);
    assert_eq!(busy, Reading::Measured(vec![(CpuId(0), ticks(3)), (CpuId(3), ticks(4))]));
    let none = at("cpu 0 0 0 0 0 0 0 0\n");
    assert!(
        noise(&none, &at("cpu 9 0 0 9 0 0 0 0\n"), Nanoseconds(0), SECOND).busy_cpus.measured().is_none()
    );
}

#[test]
fn rounding_below_zero_is_nothing_but_a_contradiction_is_said() {
    let before = at("cpu 0 0 0 0 0 0 0 0");
    let after = at("cpu 100 0 0 100 0 0 0 0");
    assert_eq!(
        noise(&before, &after, Nanoseconds(1_020_000_000), SECOND).other_load,
        Reading::Measured(Ratio(0.0))
    );
    let reason = noise(&before, &after, Nanoseconds(2_000_000_000), SECOND).other_load;
    assert!(reason.to_string().contains("shows not all CPUs"), "{reason}");
}

#[test]
fn short_trials_and_a_standing_clock_have_no_figure() {
    let before = at("cpu 0 0 0 0 0 0 0 0");
    let after = at("cpu 4 0 0 4 0 0 0 0");
    let short = noise(&before, &after, Nanoseconds(0), Nanoseconds(49_999_999));
    assert!(short.steal.to_string().contains("ticks"), "{}", short.steal);
    assert!(short.other_load.measured().is_none());
    let enough = noise(&before, &after, Nanoseconds(0), SHORTEST);
    assert_eq!(enough.other_load, Reading::Measured(Ratio(0.5)));
    let standing = noise(&before, &at("cpu 0 0 0 0 0 0 0 0"), Nanoseconds(0), SECOND);
    assert!(standing.steal.to_string().contains("did not advance"));
}

#[test]
fn broken_texts_are_refused_and_the_reason_reaches_the_reading() {
    for text in [
        "",
        "\n",
        "cpu",
        "cpu 1 2 3 4 5 6 7",
        "cpu0 1 2 3 4 5 6 7 8",
        "cpu 1 2 x 4 5 6 7 8",
        "cpu -1 2 3 4 5 6 7 8",
    ] {
        let broken = at(text);
        assert!(broken.is_err(), "{text:?}");
        let reading = noise(&broken, &at("cpu 1 2 3 4 5 6 7 8"), SECOND, SECOND).steal;
        assert!(reading.to_string().contains("in ticks"), "{reading}");
    }
    let max = u64::MAX;
    at(&format!("cpu {max} {max} 3 4 5 6 7 8")).expect("no overflow");
}

#[test]
fn it_is_read_below_its_root() {
    let tree = Tree::new();
    assert!(HostCpu::read(&tree.roots()).unwrap_err().to_string().contains("stat is not there"));
    tree.write("proc/stat", "cpu 1 2 3 4 5 6 7 8 9 10\nintr 1 2 3\n");
    assert!(HostCpu::read(&tree.roots()).unwrap().total > Nanoseconds(0));
}
