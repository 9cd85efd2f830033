use super::*;

#[test]
fn a_default_is_what_nobody_asked_for() {
    let of = |launcher, set: &[(&str, &str)]| {
        let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).into());
        is_bound_by_default(launcher, &value, None)
    };
    let bound = (BOUND_BY_OPEN_MPI, "1");
    assert!(of(Launcher::OpenMpi, &[bound]));
    assert!(!of(Launcher::OpenMpi, &[]), "5.0 says nothing of it");
    assert!(!of(Launcher::Hydra, &[bound]), "a rank of MPICH, started by one of Open MPI");
    assert!(!of(Launcher::Slurm, &[("SLURM_CPU_BIND", "quiet,mask_cpu:0x3")]));
    for name in ASKED_OF_OPEN_MPI {
        assert!(!of(Launcher::OpenMpi, &[bound, (name, "core")]), "{name}");
    }
    for (mapping, asked) in [
        ("node", false),
        ("slot", false),
        ("SLOT:OVERSUBSCRIBE", false),
        ("ppr:2:node", false),
        ("ppr:2:socket", true),
        ("ppr:1:node:PE=4", true),
        ("slot:PE=2", true),
        ("socket", true),
        ("core,span", true),
    ] {
        for name in MAPPING_OF_OPEN_MPI {
            assert_eq!(of(Launcher::OpenMpi, &[bound, (name, mapping)]), !asked, "{name} {mapping}");
        }
    }
}

#[test]
fn open_mpi_5_binds_where_its_words_do_not_ask() {
    let of = |words: &[[&str; 2]], set: &[(&str, &str)]| {
        let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).into());
        is_bound_by_default(Launcher::OpenMpi, &value, Some(&options(words)))
    };
    let five = (STARTED_BY_PRTE, "1");
    assert!(of(&[["n", "2"]], &[five]));
    assert!(!of(&[["n", "2"]], &[]), "of another launcher nothing is known");
    assert!(!of(&[["bind-to", "core"]], &[five]));
    assert!(!of(&[["map-by", "ppr:1:package"]], &[five]));
    assert!(of(&[["map-by", "slot"]], &[five]));
    assert!(!of(&[["n", "2"]], &[five, ("PRTE_MCA_hwloc_default_binding_policy", "core")]));
}

#[test]
fn what_asked_a_launcher_is_named_as_it_was_typed() {
    let none = |_: &str| None;
    let asked = |words: &[[&str; 2]]| asked_binding(&options(words), false, &none);
    assert_eq!(asked(&[["n", "2"], ["bind-to", "none"]]).as_deref(), Some("--bind-to none"));
    assert_eq!(asked(&[["bind-to-core", "./app"]]).as_deref(), Some("--bind-to-core"));
    assert_eq!(asked(&[["map-by", "slot:PE=4"]]).as_deref(), Some("--map-by slot:PE=4"));
    assert_eq!(asked(&[["map-by", "node"], ["x", "A"]]), None);
    let parameter = |name| LauncherOption {
        name: "mca".into(),
        value: Some(Cow::Borrowed(name)),
        second: Some("core".into()),
    };
    let of = |name| asked_binding(&[parameter(name)], false, &none);
    let by = "hwloc_base_binding_policy";
    assert_eq!(of(by).as_deref(), Some("--mca hwloc_base_binding_policy core"));
    assert_eq!(of("btl"), None);
    let set = |name: &str| (name == "SLURM_CPU_BIND").then(|| "cores".into());
    assert_eq!(asked_binding(&[], true, &set).as_deref(), Some("SLURM_CPU_BIND=cores"));
    assert_eq!(asked_binding(&[], false, &set), None, "mpirun does not read it");
}

fn options<'a>(words: &[[&'a str; 2]]) -> Vec<LauncherOption<'a>> {
    let option = |[name, value]: &[&'a str; 2]| LauncherOption {
        name: Cow::Borrowed(*name),
        value: Some(Cow::Borrowed(*value)),
        second: None,
    };
    words.iter().map(option).collect()
}
