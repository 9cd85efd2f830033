use std::path::Path;

use super::*;
use crate::fixture::Tree;

static GO_ON: AtomicBool = AtomicBool::new(false);
const RATE: f64 = 0.004;

/// A sampler whose steps do not depend on how busy this machine is: all CPUs have time to answer, and each step is paid for.
fn at_leisure(roots: Roots) -> FrequencySampler {
    FrequencySampler { slow: Duration::MAX, ..FrequencySampler::new(roots, f64::INFINITY) }
}

fn second(n: u64) -> Nanoseconds {
    Nanoseconds(n * 1_000_000_000)
}

fn cpus(all: &[u32]) -> BTreeSet<CpuId> {
    all.iter().copied().map(CpuId).collect()
}

fn recorded(name: &str) -> Roots {
    Roots::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cpufreq").join(name))
}

fn write(tree: &Tree, cpu: u32, khz: u64) {
    tree.write(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"), &format!("{khz}\n"));
}

/// Why there is no frequency.
fn why(sampler: &FrequencySampler) -> String {
    sampler.result().reason().unwrap().to_string()
}

#[test]
fn the_mean_the_least_and_the_most_of_each_cpu_with_work_are_kept() {
    let tree = Tree::new();
    let mut sampler = at_leisure(tree.roots());
    for (n, khz) in [3_000_000, 2_000_000, 2_200_000].into_iter().enumerate() {
        write(&tree, 0, khz);
        write(&tree, 5, 1_000_000);
        write(&tree, 7, 9_999_999);
        let working = if n == 0 { cpus(&[0, 5]) } else { cpus(&[0]) };
        assert!(sampler.step(&working, second(n as u64), &GO_ON));
    }
    let seen = sampler.result();
    let [first, second] = seen.measured().unwrap().0.as_slice() else { panic!("{seen:?}") };
    let ghz = |ghz: f64| Hertz((ghz * 1e9) as u64);
    let expected =
        CpuFrequency { cpu: CpuId(0), samples: 3, mean: ghz(2.4), least: ghz(2.0), most: ghz(3.0) };
    assert_eq!(*first, expected, "an open file is read anew");
    assert_eq!((second.cpu, second.samples, second.mean), (CpuId(5), 1, ghz(1.0)));
}

#[test]
fn a_step_reads_few_cpus_and_the_next_goes_on_and_each_is_paid_for() {
    let tree = Tree::new();
    (0..20).for_each(|cpu| write(&tree, cpu, 2_000_000));
    let mut sampler = FrequencySampler::new(tree.roots(), RATE);
    let all = cpus(&(0..20).collect::<Vec<_>>());
    assert!(sampler.step(&all, second(0), &GO_ON));
    assert!(sampler.result().measured().unwrap().0.len() <= AT_ONCE);
    assert!(sampler.due > Nanoseconds(0) && !sampler.step(&all, Nanoseconds(0), &GO_ON), "not yet paid for");
    (1..40).for_each(|n| {
        sampler.step(&all, second(100 * n), &GO_ON);
    });
    let seen = sampler.result();
    assert_eq!(seen.measured().unwrap().0.len(), 20, "all have had their turn");
    assert!(!sampler.step(&cpus(&[]), second(5000), &GO_ON), "nobody works");
    assert!(!sampler.step(&all, second(5000), &AtomicBool::new(true)), "it is time to end");
}

#[test]
fn a_constant_of_a_virtual_machine_is_not_taken_for_a_measurement() {
    let mut sampler = at_leisure(recorded("virtual"));
    for n in 0..3 {
        assert!(!sampler.step(&cpus(&[0, 1]), second(n), &GO_ON));
    }
    let reason = why(&sampler);
    assert!(reason.contains("no cpufreq") && reason.contains("not measured"), "{reason}");
    assert!(facts(&recorded("virtual")).measured().is_none());
}

#[test]
fn without_a_driver_cpuinfo_tells_in_long_trials_where_the_processor_counts() {
    let mut sampler = at_leisure(recorded("no-driver"));
    assert!(!sampler.step(&cpus(&[1]), Nanoseconds(1), &GO_ON));
    assert!(why(&sampler).contains("ended before"));
    assert!(sampler.step(&cpus(&[1]), second(5), &GO_ON));
    let seen = sampler.result();
    let [one] = seen.measured().unwrap().0.as_slice() else { panic!("{seen:?}") };
    assert_eq!((one.cpu, one.mean), (CpuId(1), Hertz(2_399_871_000)));
}

#[test]
fn garbage_offline_cpus_and_files_that_go_are_no_frequency() {
    let mut sampler = at_leisure(recorded("garbage"));
    assert!(!sampler.step(&cpus(&[0]), second(1), &GO_ON));
    assert!(why(&sampler).contains("'<unknown>'"), "{}", why(&sampler));
    let mut sampler = at_leisure(recorded("cpu-offline"));
    assert!(sampler.step(&cpus(&[0, 1]), second(1), &GO_ON), "CPU 0 is there");
    assert_eq!(sampler.result().measured().unwrap().0.len(), 1);
    let tree = Tree::new();
    write(&tree, 3, 2_000_000);
    let mut sampler = at_leisure(tree.roots());
    assert!(sampler.step(&cpus(&[3]), second(1), &GO_ON));
    write(&tree, 3, 0);
    assert!(!sampler.step(&cpus(&[3]), second(100), &GO_ON), "no frequency of zero");
    write(&tree, 3, 4_000_000);
    assert!(sampler.step(&cpus(&[3]), second(200), &GO_ON), "it is opened anew");
    assert_eq!(sampler.result().measured().unwrap().mean(), Some(Hertz(3_000_000_000)));
}

#[test]
fn what_sets_the_frequency_is_told_with_its_limits() {
    let found = facts(&recorded("intel-pstate-active"));
    let found = found.measured().unwrap();
    assert_eq!(found.policies.len(), 2);
    assert_eq!(found.boost, Reading::Measured(true));
    assert_eq!(found.source, Reading::Measured(FrequencySource::Counted));
    let asked = facts(&recorded("cpu-offline"));
    assert_eq!(asked.measured().unwrap().source, Reading::Measured(FrequencySource::Requested));
    let base = asked.measured().unwrap().policies[0].base.to_string();
    assert!(base.contains("the driver does not give it"), "{base}");
}
