use super::*;
use crate::redaction::MARKER;

#[test]
fn variables_that_steer_are_kept_and_others_are_not() {
    for name in [
        "OMP_NUM_THREADS",
        "KMP_AFFINITY",
        "GOMP_CPU_AFFINITY",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "I_MPI_PIN",
        "OMPI_MCA_hwloc_base_binding_policy",
        "PMI_RANK",
        "PMIX_RANK",
        "MV2_ENABLE_AFFINITY",
        "UCX_TLS",
        "FI_PROVIDER",
        "PSM2_RANKS_PER_CONTEXT",
        "HCOLL_MAIN_IB",
        "SLURM_CPU_BIND",
        "PBS_NCPUS",
        "LSB_BIND_CPU_LIST",
        "LD_PRELOAD",
        "MALLOC_ARENA_MAX",
        "GLIBC_TUNABLES",
        "HWLOC_XMLFILE",
        "NUMACTL_X",
        "CUDA_VISIBLE_DEVICES",
        "PYTHONMALLOC",
        "LANG",
        "LC_ALL",
        "_JAVA_OPTIONS",
    ] {
        assert!(is_kept(name), "{name}");
    }
    for name in [
        "HOME",
        "USER",
        "PATH",
        "PWD",
        "TZ",
        "MAIL",
        "SSH_CONNECTION",
        "AWS_SECRET_ACCESS_KEY",
        "SLURM_JWT",
        "SLURM_JOB_USER",
        "PBS_O_HOME",
        "COMP_OMP_",
        "LANGUAGEX",
        "NUMAWISE_PIN",
        "PROMPT_COMMAND",
        "KRB5CCNAME",
    ] {
        assert!(!is_kept(name), "{name}");
    }
}

#[test]
fn values_that_look_like_credentials_are_left_out_and_their_names_stay() {
    let given = [
        ("OMPI_MCA_x_token", "91ab77cd"),
        ("UCX_URL", "http://me:S3cret@h"),
        ("JAVA_TOOL_OPTIONS", "-Xmx1g -Dx.password=S3cret"),
        ("KMP_AFFINITY", "granularity=fine,compact"),
        ("HOME", "/root"),
    ];
    let kept = kept(given.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
    let kept: Vec<(&str, &str)> = kept.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        kept,
        [
            ("JAVA_TOOL_OPTIONS", format!("-Xmx1g -Dx.password={MARKER}").as_str()),
            ("KMP_AFFINITY", "granularity=fine,compact"),
            ("OMPI_MCA_x_token", MARKER),
            ("UCX_URL", format!("http://me:{MARKER}@h").as_str()),
        ]
    );
}

#[test]
fn the_page_of_the_format_has_the_same_list() {
    let page = include_str!("../../../docs/formats/nw-file.md");
    for (subject, names) in KEPT {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let row = format!("| {subject} | {} |", names.join(", "));
        assert!(page.contains(&row), "docs/formats/nw-file.md lacks the row\n{row}");
    }
    let row = format!("| Not kept | {} |", NOT_KEPT.map(|name| format!("`{name}`")).join(", "));
    assert!(page.contains(&row), "docs/formats/nw-file.md lacks the row\n{row}");
}
