use std::path::Path;

use super::*;
use crate::fixture::Tree;

/// A recorded tree: see `testdata/cpufreq`.
fn recorded(name: &str) -> Roots {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cpufreq").join(name);
    assert!(tree.is_dir(), "{}", tree.display());
    Roots::at(tree)
}

fn now(roots: &Roots, cpu: u32) -> Result<Hertz, Error> {
    FrequencyFile::open(roots, CpuId(cpu))?.read(&mut Vec::new())
}

fn mhz(mhz: u64) -> Hertz {
    Hertz(mhz * 1_000_000)
}

fn known(text: &str) -> Result<String, NoValue> {
    Ok(text.to_owned())
}

#[test]
fn cpus_that_are_set_alike_are_told_together() {
    let all = policies(&recorded("intel-pstate-active"));
    let [fast, slow] = all.as_slice() else { panic!("{all:#?}") };
    assert_eq!((fast.cpus.to_string(), slow.cpus.to_string()), ("0-1".to_owned(), "2-3".to_owned()));
    assert_eq!((&fast.driver, &fast.governor), (&known("intel_pstate"), &known("powersave")));
    assert_eq!(fast.preference, known("balance_performance"));
    assert_eq!((&fast.least, &fast.base), (&Ok(mhz(800)), &Ok(mhz(2400))));
    assert_eq!((&fast.most, &slow.most), (&Ok(mhz(5200)), &Ok(mhz(3900))));
    assert_eq!(boost(&recorded("intel-pstate-active")), Ok(true), "no_turbo is 0");
    assert!(counts_cycles(&recorded("intel-pstate-active")).unwrap());
    assert_eq!(now(&recorded("intel-pstate-active"), 3).unwrap(), Hertz(800_064_000));
}

#[test]
fn other_drivers_give_less_and_what_they_do_not_give_is_missing() {
    let all = policies(&recorded("acpi-cpufreq"));
    let governors: Vec<_> = all.iter().map(|policy| policy.governor.clone()).collect();
    assert_eq!(governors, [known("ondemand"), known("powersave")]);
    assert_eq!((&all[0].base, &all[0].preference), (&Err(NoValue::NotThere), &Err(NoValue::NotThere)));
    assert_eq!(boost(&recorded("acpi-cpufreq")), Ok(true));
    let all = policies(&recorded("amd-pstate-epp"));
    let [both] = all.as_slice() else { panic!("{all:#?}") };
    assert_eq!((&both.most, &both.hardware_most), (&Ok(mhz(2500)), &Ok(mhz(3719))));
    assert_eq!(boost(&recorded("amd-pstate-epp")), Ok(false));
}

#[test]
fn a_virtual_machine_has_no_policy_and_its_constant_is_not_taken() {
    let roots = recorded("virtual");
    assert_eq!(policies(&roots), []);
    assert_eq!(boost(&roots), Err(NoValue::NotThere));
    assert!(!has_cpufreq(&roots, CpuId(0)) && !counts_cycles(&roots).unwrap());
    assert!(now(&roots, 0).unwrap_err().is_gone());
}

#[test]
fn cpuinfo_is_a_second_source_where_the_processor_counts() {
    let roots = recorded("no-driver");
    assert!(!has_cpufreq(&roots, CpuId(0)) && counts_cycles(&roots).unwrap());
    let all = by_cpuinfo(&roots, &mut Vec::new()).unwrap();
    assert_eq!(all, [(CpuId(0), Hertz(3_100_004_000)), (CpuId(1), Hertz(2_399_871_000))]);
}

#[test]
fn a_cpu_that_is_offline_has_no_policy() {
    let roots = recorded("cpu-offline");
    let all = policies(&roots);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].cpus.to_string(), "0");
    assert!(now(&roots, 1).unwrap_err().is_gone());
    assert!(!counts_cycles(&roots).unwrap(), "what it shows was asked for, not counted");
}

#[test]
fn garbage_is_refused_piece_by_piece() {
    let roots = recorded("garbage");
    let all = policies(&roots);
    let [one] = all.as_slice() else { panic!("{all:#?}") };
    let malformed = |text: &str| Some(NoValue::Malformed(text.to_owned()));
    assert_eq!(one.driver.clone().err(), malformed("\\x01\\x02"));
    assert_eq!(one.governor.clone().err(), malformed(""));
    assert_eq!(one.least.clone().err(), malformed("-5"));
    assert_eq!(one.most.clone().err(), malformed("18446744073709551616"));
    assert_eq!(one.hardware_most.clone().err(), malformed("0"), "a frequency of zero is none");
    assert_eq!(one.base.clone().err(), malformed("2400000 kHz"));
    assert_eq!(boost(&roots), Err(NoValue::Malformed("perhaps".to_owned())));
    let error = now(&roots, 0).unwrap_err().to_string();
    assert!(error.contains("'<unknown>'") && error.contains("kHz"), "{error}");
    assert_eq!(by_cpuinfo(&roots, &mut Vec::new()).unwrap(), []);
}

#[test]
fn what_cannot_be_read_is_said_and_a_counted_average_comes_first() {
    let tree = Tree::new();
    let folder = "sys/devices/system/cpu/cpu7/cpufreq";
    tree.write(&format!("{folder}/scaling_governor/is-a-folder"), "");
    tree.write(&format!("{folder}/scaling_cur_freq"), "3600000\n");
    let roots = Roots::at(tree.path());
    let all = policies(&roots);
    assert_eq!(all[0].governor, Err(NoValue::Unreadable(io::ErrorKind::IsADirectory)));
    assert_eq!(now(&roots, 7).unwrap(), mhz(3600));
    tree.write(&format!("{folder}/cpuinfo_avg_freq"), "2999000\n");
    assert_eq!(now(&roots, 7).unwrap(), mhz(2999));
    assert!(counts_cycles(&roots).unwrap_err().is_gone(), "no /proc/cpuinfo");
    let file = FrequencyFile::open(&roots, CpuId(7)).unwrap();
    tree.write(&format!("{folder}/cpuinfo_avg_freq"), "1\n");
    assert_eq!(file.read(&mut Vec::new()).unwrap(), Hertz(1000), "an open file is read anew");
}

proptest::proptest! {
    #[test]
    fn no_text_of_a_file_becomes_a_frequency_that_no_cpu_has(text: String) {
        let found = hertz(&text).into_iter().chain(megahertz(text.as_bytes()));
        proptest::prop_assert!(found.into_iter().all(|hertz| hertz > Hertz(0) && hertz <= Hertz::FASTEST));
    }
}
