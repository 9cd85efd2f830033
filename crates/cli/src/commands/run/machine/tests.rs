use super::*;

#[test]
fn calls_and_files_tell_the_same() {
    assert_eq!(Allowed::read().unwrap(), Allowed::read_status().unwrap());
}

#[test]
fn what_is_allowed_is_read_from_status() {
    let text = "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-1,8\nMems_allowed_list:\t0,2\n";
    let allowed = Allowed::parse(text).unwrap();
    assert_eq!((allowed.cpus.to_string(), allowed.nodes.to_string()), ("0-1,8".to_owned(), "0,2".to_owned()));
    let without_cpusets = Allowed::parse("Cpus_allowed_list:\t0\n").unwrap();
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
        assert_eq!(Allowed::parse(text), None, "{text}");
    }
}
