use numawise_units::Hertz;

use super::*;

fn known<T>(value: T) -> Reading<T> {
    Reading::Measured(value)
}

#[test]
fn each_kind_of_cpu_is_told_with_what_sets_it() {
    let fast = FrequencyPolicy {
        cpus: "0-3".parse().unwrap(),
        driver: known("amd-pstate-epp".to_owned()),
        governor: known("powersave".to_owned()),
        preference: known("performance".to_owned()),
        least: known(Hertz(400_000_000)),
        most: known(Hertz(2_500_000_000)),
        hardware_most: known(Hertz(3_719_000_000)),
        base: Reading::unavailable("the driver does not give it"),
    };
    let slow = FrequencyPolicy {
        cpus: "4".parse().unwrap(),
        driver: Reading::unavailable("the driver does not give it"),
        governor: Reading::unavailable("its file reads ''"),
        preference: Reading::unavailable("the driver does not give it"),
        most: Reading::unavailable("its file reads 'x'"),
        ..fast.clone()
    };
    let facts = FrequencyFacts {
        policies: vec![fast, slow],
        boost: known(false),
        source: Reading::unavailable("by hand"),
    };
    assert_eq!(
        settings(&known(facts)),
        "CPUs 0-3: amd-pstate-epp, governor powersave, preference performance, 400 MHz to 2.50 GHz, of at most 3.72 GHz that it \
         can do; CPUs 4: governor unavailable (its file reads ''); boost off"
    );
    assert_eq!(settings(&Reading::unavailable("no cpufreq")), "unavailable (no cpufreq)");
}
