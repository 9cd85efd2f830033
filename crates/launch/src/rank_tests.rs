use proptest::prelude::*;

use super::*;

fn of(variables: &[(&str, &str)]) -> Result<Option<LocalRank>, RankError> {
    rank(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
}

/// launcher, local rank, local size, rank, size, assumed
type Told = (Launcher, u32, u32, Option<u32>, Option<u32>, bool);

fn told(variables: &[(&str, &str)]) -> Told {
    let found = of(variables).unwrap().expect("a rank");
    (found.launcher, found.local_rank, found.local_size, found.rank, found.size, found.size_is_assumed)
}

const OPEN_MPI: [(&str, &str); 5] = [
    ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
    ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
    ("OMPI_COMM_WORLD_RANK", "9"),
    ("OMPI_COMM_WORLD_SIZE", "16"),
    ("PMIX_RANK", "9"),
];
const HYDRA: [(&str, &str); 4] =
    [("MPI_LOCALRANKID", "2"), ("MPI_LOCALNRANKS", "3"), ("PMI_RANK", "5"), ("PMI_SIZE", "6")];
const SLURM: [(&str, &str); 5] = [
    ("SLURM_LOCALID", "2"),
    ("SLURM_STEP_TASKS_PER_NODE", "4(x2),3"),
    ("SLURM_NODEID", "2"),
    ("SLURM_PROCID", "10"),
    ("SLURM_STEP_NUM_TASKS", "11"),
];

#[test]
fn every_launcher_is_understood() {
    assert_eq!(told(&OPEN_MPI), (Launcher::OpenMpi, 1, 4, Some(9), Some(16), false));
    assert_eq!(told(&HYDRA), (Launcher::Hydra, 2, 3, Some(5), Some(6), false));
    assert_eq!(told(&SLURM), (Launcher::Slurm, 2, 3, Some(10), Some(11), false));
    let mvapich = [
        ("MV2_COMM_WORLD_LOCAL_RANK", "0"),
        ("MV2_COMM_WORLD_LOCAL_SIZE", "2"),
        ("MV2_COMM_WORLD_RANK", "0"),
        ("MV2_COMM_WORLD_SIZE", "2"),
    ];
    assert_eq!(told(&mvapich), (Launcher::Mvapich, 0, 2, Some(0), Some(2), false));
    let pals =
        [("PALS_LOCAL_RANKID", "3"), ("PMI_LOCAL_SIZE", "12"), ("PALS_RANKID", "15"), ("PMI_RANK", "15")];
    assert_eq!(told(&pals), (Launcher::Pals, 3, 12, Some(15), None, false));
    let jsm =
        [("JSM_NAMESPACE_LOCAL_RANK", "3"), ("JSM_NAMESPACE_LOCAL_SIZE", "6"), ("JSM_NAMESPACE_RANK", "3")];
    assert_eq!(told(&jsm), (Launcher::Jsm, 3, 6, Some(3), None, false));
}

#[test]
fn who_was_started_by_nobody_is_no_rank() {
    assert_eq!(of(&[]), Ok(None));
    // A batch script of Slurm, outside srun.
    let batch = [
        ("SLURM_LOCALID", "0"),
        ("SLURM_NODEID", "0"),
        ("SLURM_PROCID", "0"),
        ("SLURM_NTASKS", "8"),
        ("SLURM_TASKS_PER_NODE", "4(x2)"),
    ];
    assert_eq!(of(&batch), Ok(None));
    // The first script of a Flux batch job.
    assert_eq!(of(&[("FLUX_JOB_SIZE", "2"), ("FLUX_JOB_NNODES", "2")]), Ok(None));
}

#[test]
fn the_inner_launcher_wins() {
    // Open MPI starts one daemon on each computer through srun.
    let daemon = [
        ("SLURM_LOCALID", "0"),
        ("SLURM_STEP_TASKS_PER_NODE", "1(x4)"),
        ("SLURM_NODEID", "2"),
        ("SLURM_PROCID", "2"),
        ("SLURM_STEP_NUM_TASKS", "4"),
    ];
    for (inner, launcher) in [(OPEN_MPI.as_slice(), Launcher::OpenMpi), (HYDRA.as_slice(), Launcher::Hydra)] {
        let both: Vec<(&str, &str)> = daemon.iter().chain(inner).copied().collect();
        assert_eq!(told(&both).0, launcher);
    }
    // Flux in an allocation of Slurm's, whose srun started Flux's brokers.
    let flux = [
        ("FLUX_TASK_LOCAL_ID", "1"),
        ("FLUX_TASK_RANK", "1"),
        ("FLUX_JOB_SIZE", "2"),
        ("FLUX_JOB_NNODES", "1"),
    ];
    let both: Vec<(&str, &str)> = daemon.iter().chain(&flux).copied().collect();
    assert_eq!(told(&both), (Launcher::Flux, 1, 2, Some(1), Some(2), false));
    // Slurm with the plugin that imitates PALS: the number here is Slurm's.
    let both: Vec<(&str, &str)> =
        SLURM.into_iter().chain([("PALS_LOCAL_RANKID", "2"), ("PALS_RANKID", "10")]).collect();
    assert_eq!(told(&both).0, Launcher::Slurm);
    // Slurm's own PMIx and PMI-2 plugins.
    let both: Vec<(&str, &str)> =
        SLURM.into_iter().chain([("PMIX_RANK", "10"), ("PMI_RANK", "10")]).collect();
    assert_eq!(told(&both).0, Launcher::Slurm);
}

#[test]
fn flux_tells_the_whole_job_and_the_rest_is_assumed() {
    let flux = |local: &str, rank: &str, size: &str, nodes: &str| {
        let (_, local_rank, local_size, _, _, assumed) = told(&[
            ("FLUX_TASK_LOCAL_ID", local),
            ("FLUX_TASK_RANK", rank),
            ("FLUX_JOB_SIZE", size),
            ("FLUX_JOB_NNODES", nodes),
        ]);
        (local_rank, local_size, assumed)
    };
    assert_eq!(flux("3", "3", "4", "1"), (3, 4, false));
    assert_eq!(flux("1", "5", "8", "2"), (1, 4, true));
    // 10 ranks on 4 computers: 3, 3, 2, 2.
    assert_eq!(flux("2", "2", "10", "4"), (2, 3, true));
    assert_eq!(flux("0", "3", "10", "4"), (0, 3, true));
    assert_eq!(flux("0", "6", "10", "4"), (0, 2, true));
    assert_eq!(flux("1", "9", "10", "4"), (1, 2, true));
    // Not in blocks: never fewer than we are.
    assert_eq!(flux("5", "9", "10", "4").1, 6);
}

#[test]
fn broken_values_name_their_variable() {
    let with = |base: &[(&'static str, &'static str)], name: &'static str, value: &'static str| {
        let changed: Vec<(&str, &str)> =
            base.iter().map(|(known, old)| (*known, if *known == name { value } else { old })).collect();
        of(&changed).expect_err(name).to_string()
    };
    for (base, name, value, part) in [
        (OPEN_MPI.as_slice(), "OMPI_COMM_WORLD_LOCAL_RANK", "x", "expected a number"),
        (&OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK", "", "expected a number"),
        (&OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK", "-1", "expected a number"),
        (&OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK", "4", "below OMPI_COMM_WORLD_LOCAL_SIZE, which is 4"),
        (&OPEN_MPI, "OMPI_COMM_WORLD_RANK", "16", "below OMPI_COMM_WORLD_SIZE"),
        (&HYDRA, "MPI_LOCALNRANKS", "99999999999", "expected a number"),
        (&SLURM, "SLURM_STEP_TASKS_PER_NODE", "4(x", "counts such as 4(x2),3"),
        (&SLURM, "SLURM_STEP_TASKS_PER_NODE", "", "counts such as"),
        (&SLURM, "SLURM_STEP_TASKS_PER_NODE", "4,,3", "counts such as"),
        (&SLURM, "SLURM_STEP_TASKS_PER_NODE", "4(2)", "counts such as"),
        (&SLURM, "SLURM_NODEID", "3", "below the computers"),
        (&SLURM, "SLURM_LOCALID", "3", "below SLURM_STEP_TASKS_PER_NODE, which is 3"),
        (&SLURM, "SLURM_PROCID", "11", "below SLURM_STEP_NUM_TASKS"),
    ] {
        let text = with(base, name, value);
        assert!(text.starts_with(name) && text.contains(part), "{text}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let text = of(&[("MPI_LOCALRANKID", "0")]).unwrap_err().to_string();
    assert!(text.contains("MPI_LOCALRANKID") && text.contains("MPI_LOCALNRANKS"), "{text}");
    let text = of(&[("FLUX_TASK_LOCAL_ID", "0"), ("FLUX_JOB_SIZE", "2")]).unwrap_err().to_string();
    assert!(text.contains("FLUX_JOB_NNODES"), "{text}");
    for name in ["PMIX_RANK", "PMI_RANK"] {
        let error = of(&[(name, "3")]).unwrap_err();
        assert!(error.is_only_untold() && error.to_string().starts_with(name), "{error}");
    }
    assert!(!of(&[("MPI_LOCALRANKID", "0")]).unwrap_err().is_only_untold());
}

#[test]
fn the_variables_of_launchers_are_known_by_name() {
    for (name, _) in OPEN_MPI.iter().chain(&HYDRA).chain(&SLURM) {
        assert!(is_rank_variable(name), "{name}");
    }
    assert!(is_rank_variable("FLUX_TASK_RANK") && is_rank_variable("PMIX_RANK"));
    assert!(!is_rank_variable("PATH") && !is_rank_variable("OMPI_MCA_btl") && !is_rank_variable(""));
}

proptest! {
    #[test]
    fn a_rank_is_always_below_its_number(
        which in 0usize..4,
        values in prop::collection::vec(prop_oneof!["[0-9]{1,2}", "[0-9]\\(x[0-9]\\)(,[0-9]){0,2}", ".{0,4}"], 5),
    ) {
        let flux = ["FLUX_TASK_LOCAL_ID", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_JOB_NNODES"];
        let hydra: Vec<&str> = HYDRA.iter().map(|(name, _)| *name).collect();
        let open_mpi: Vec<&str> = OPEN_MPI.iter().map(|(name, _)| *name).collect();
        let names = [&flux[..], &slurm::NAMES, &hydra, &open_mpi][which];
        let variables: Vec<(&str, &str)> =
            names.iter().copied().zip(values.iter().map(String::as_str)).collect();
        if let Ok(Some(found)) = of(&variables) {
            prop_assert!(found.local_rank < found.local_size);
            prop_assert!(found.rank.zip(found.size).is_none_or(|(rank, size)| rank < size));
        }
    }
}

/// The collector leaves a rank alone by the same variable from which its place is known here.
#[test]
fn the_collector_reads_the_rank_of_each_launcher() {
    let known = numawise_wire::snapshot::RANK_VARIABLES.map(numawise_wire::Variable::name);
    let of_mpi: Vec<&str> = TABLE.iter().map(|names| names.rank).collect();
    assert_eq!(known[..of_mpi.len()], of_mpi, "in the same order");
    for name in ["PMIX_RANK", FLUX_RANK, "SLURM_PROCID"] {
        assert!(known.contains(&name) && is_rank_variable(name), "{name}");
    }
}
