use super::*;
use crate::fixture::Tree;

fn write(tree: &Tree, zone: &str, name: &str, counter: u64) {
    for (file, text) in [("name", name), ("energy_uj", &counter.to_string()), ("max_energy_range_uj", "1000")]
    {
        tree.write(&format!("sys/class/powercap/{zone}/{file}"), text);
    }
}

#[test]
fn what_packages_and_memory_took_is_added_up_past_the_end_of_a_counter() {
    let tree = Tree::new();
    write(&tree, "intel-rapl:0", "package-0", 900);
    write(&tree, "intel-rapl:0:0", "dram", 10);
    let mut meter = EnergyMeter::start(&tree.roots());
    write(&tree, "intel-rapl:0", "package-0", 400);
    write(&tree, "intel-rapl:0:0", "dram", 15);
    meter.look();
    write(&tree, "intel-rapl:0", "package-0", 300);
    assert_eq!(meter.taken(), Reading::Measured(Microjoules(500 + 900 + 5)));
}

#[test]
fn a_sum_without_a_part_is_none() {
    let tree = Tree::new();
    write(&tree, "intel-rapl:0", "package-0", 1);
    write(&tree, "intel-rapl:1", "package-1", 1);
    let mut meter = EnergyMeter::start(&tree.roots());
    write(&tree, "intel-rapl:0", "package-0", 5);
    tree.write("sys/class/powercap/intel-rapl:1/energy_uj", "what");
    let found = meter.taken();
    assert!(
        found.reason().is_some_and(|why| why.0.contains("expected a number of microjoules")),
        "{found:?}"
    );
    let none = EnergyMeter::start(&Tree::new().roots()).taken();
    assert!(none.reason().is_some_and(|why| why.0.contains("no processor tells")), "{none:?}");
}
