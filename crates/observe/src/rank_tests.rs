use super::*;

fn found(variables: &[&str]) -> Option<u32> {
    rank(Environment(variables.join("\0").as_bytes())).map(|rank| rank.0)
}

#[test]
fn every_launcher_is_understood() {
    for name in [
        "OMPI_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_RANK",
        "PMI_RANK",
        "PALS_RANKID",
        "PMIX_RANK",
        "FLUX_TASK_RANK",
    ] {
        assert_eq!(found(&["HOME=/", &format!("{name}=17"), "A=b", ""]), Some(17), "{name}");
        assert_eq!(found(&[&format!("X{name}=17")]), None, "{name} inside another name");
        assert_eq!(found(&[&format!("{name}2=17")]), None, "{name} begins another name");
    }
    assert_eq!(found(&["SLURM_PROCID=3", "SLURM_STEP_ID=0"]), Some(3));
    assert_eq!(found(&["SLURM_STEPID=0", "SLURM_PROCID=3"]), Some(3));
}

#[test]
fn a_batch_script_is_no_rank() {
    assert_eq!(found(&["SLURM_PROCID=0", "SLURM_JOB_ID=4711"]), None);
}

#[test]
fn the_launcher_nearest_to_the_program_counts() {
    // mpirun of Open MPI inside a Slurm step.
    assert_eq!(
        found(&["SLURM_PROCID=0", "SLURM_STEP_ID=0", "PMIX_RANK=0", "OMPI_COMM_WORLD_RANK=5"]),
        Some(5)
    );
    assert_eq!(found(&["SLURM_PROCID=0", "SLURM_STEP_ID=0", "PMI_RANK=6"]), Some(6));
}

#[test]
fn what_is_no_rank_is_none() {
    for value in ["", "-1", "x", "1x", "4294967296", "99999999999999999999", " 1"] {
        assert_eq!(found(&[&format!("PMI_RANK={value}")]), None, "{value:?}");
    }
    for text in ["", "\0", "=", "PMI_RANK", "PMI_RANK\0=3"] {
        assert_eq!(rank(Environment(text.as_bytes())), None, "{text:?}");
    }
    // A broken one does not hide a good one.
    assert_eq!(found(&["OMPI_COMM_WORLD_RANK=x", "PMI_RANK=2"]), Some(2));
}
