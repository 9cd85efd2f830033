use super::*;
use crate::fixture::Fixture;

fn ranks(fixture: &Fixture) -> Vec<Option<u32>> {
    let online: CpuSet = "0-3".parse().unwrap();
    let efficiency = read(&fixture.roots(), &online);
    online.iter().map(|cpu| efficiency.of(cpu).measured().copied()).collect()
}

#[test]
fn a_machine_of_one_kind_has_no_ranks() {
    let fixture = Fixture::empty();
    assert_eq!(ranks(&fixture), [None; 4]);
    fixture.write("/sys/devices/cpu_core/cpus", "0-3\n");
    assert_eq!(ranks(&fixture), [None; 4], "a hybrid processor whose efficient cores are switched off");
}

#[test]
fn intels_lists_tell_the_kinds() {
    let fixture = Fixture::empty();
    fixture.write("/sys/devices/cpu_core/cpus", "0-1\n");
    fixture.write("/sys/devices/cpu_atom/cpus", "2-7\n");
    assert_eq!(ranks(&fixture), [Some(1), Some(1), Some(0), Some(0)]);
    fixture.write("/sys/devices/cpu_atom/cpus", "2\n");
    fixture.write("/sys/devices/cpu_lowpower/cpus", "3\n");
    assert_eq!(ranks(&fixture), [Some(2), Some(2), Some(1), Some(0)]);
    fixture.write("/sys/devices/cpu_lowpower/cpus", "none\n");
    assert_eq!(ranks(&fixture), [Some(1), Some(1), Some(0), None], "CPU 3 is on no list");
}

#[test]
fn arms_capacities_tell_the_kinds() {
    let fixture = Fixture::empty();
    for (cpu, capacity) in [(0, "381\n"), (1, "381\n"), (2, "1024\n"), (3, "1024\n")] {
        fixture.write(&format!("{CPUS}/cpu{cpu}/cpu_capacity"), capacity);
    }
    assert_eq!(ranks(&fixture), [Some(0), Some(0), Some(1), Some(1)]);
    fixture.write(&format!("{CPUS}/cpu1/cpu_capacity"), "high\n");
    assert_eq!(ranks(&fixture), [Some(0), None, Some(1), Some(1)]);
    fixture.remove(&format!("{CPUS}/cpu0/cpu_capacity"));
    assert_eq!(ranks(&fixture), [None; 4], "the first one has none, so none is asked");
}

#[test]
fn clusters_of_one_kind_with_clocks_of_their_own_are_one_kind() {
    let fixture = Fixture::empty();
    for (cpu, capacity) in [(0, 718), (1, 997), (2, 731), (3, 1024)] {
        fixture.write(&format!("{CPUS}/cpu{cpu}/cpu_capacity"), &format!("{capacity}\n"));
    }
    assert_eq!(ranks(&fixture), [Some(0), Some(1), Some(0), Some(1)]);
    fixture.write(&format!("{CPUS}/cpu0/cpu_capacity"), "1000\n");
    fixture.write(&format!("{CPUS}/cpu2/cpu_capacity"), "990\n");
    assert_eq!(ranks(&fixture), [None; 4]);
}
