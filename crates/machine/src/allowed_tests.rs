use super::*;
use crate::fixture::Fixture;

fn of_status(text: &str) -> Result<AllowedSets, Error> {
    let fixture = Fixture::empty();
    fixture.write(sysfs::STATUS, text);
    AllowedSets::read(&fixture.roots())
}

#[test]
fn what_is_allowed_is_read_from_status() {
    let text = "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-1,8\nMems_allowed_list:\t0,2\n";
    let allowed = of_status(text).unwrap();
    assert_eq!((allowed.cpus.to_string(), allowed.nodes.to_string()), ("0-1,8".to_owned(), "0,2".to_owned()));
    let without_cpusets = of_status("Cpus_allowed_list:\t0\n").unwrap();
    assert_eq!(without_cpusets.nodes.to_string(), "0");
}

#[test]
fn a_status_that_makes_no_sense_is_refused() {
    for text in [
        "",
        "Mems_allowed_list:\t0\n",
        "Cpus_allowed_list:\tx\n",
        "Cpus_allowed_list:\t0\nMems_allowed_list:\t-\n",
    ] {
        assert!(of_status(text).is_err(), "{text}");
    }
}

#[test]
fn of_the_machine_only_the_named_nodes_are_read() {
    let fixture = Fixture::empty();
    fixture.write("/sys/devices/system/node/node1/cpulist", "4-7\n");
    let allowed = AllowedSets { cpus: "0-7".parse().unwrap(), nodes: "0-1".parse().unwrap() };
    let machine = allowed.machine(&fixture.roots(), &"1".parse().unwrap()).unwrap();
    let cpus: Vec<String> = machine.nodes.iter().map(|node| node.cpus.to_string()).collect();
    assert_eq!(cpus, ["", "4-7"]);
    assert_eq!(allowed.machine(&fixture.roots(), &"2".parse().unwrap()), None, "there is no such node");
}
