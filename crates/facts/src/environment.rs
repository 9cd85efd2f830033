//! Which variables of the environment are kept in a record, and which are not.
//!
//! A variable is kept when it changes where threads, ranks or memory live, how fast the program runs, or how its output is to
//! be read. All others are nobody's business. `docs/formats/nw-file.md` holds the same list; a test compares the two.

use numawise_units::Arrange;

use crate::Redactor;

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

/// Names that are kept: whole, or with a star at the end all that begin so.
pub const KEPT: [(&str, &[&str]); 7] = [
    (
        "OpenMP and other runtimes of threads",
        &[
            "OMP_*",
            "GOMP_*",
            "KMP_*",
            "CRAY_OMP_*",
            "LIBOMPTARGET_*",
            "ACC_*",
            "XLSMPOPTS",
            "FLIB_*",
            "TBB_*",
            "RAYON_NUM_THREADS",
            "JULIA_NUM_THREADS",
            "JULIA_EXCLUSIVE",
            "GOMAXPROCS",
            "UV_THREADPOOL_SIZE",
        ],
    ),
    (
        "Libraries of mathematics",
        &[
            "MKL_*",
            "OPENBLAS_*",
            "GOTO_*",
            "BLIS_*",
            "ARMPL_*",
            "VECLIB_*",
            "NUMEXPR_*",
            "NUMBA_NUM_THREADS",
            "TF_NUM_*",
            "TORCH_NUM_*",
            "POLARS_MAX_THREADS",
        ],
    ),
    (
        "MPI and what starts it",
        &[
            "OMPI_*",
            "PRTE_*",
            "I_MPI_*",
            "MPICH_*",
            "MPIR_CVAR_*",
            "HYDRA_*",
            "MPI_*",
            "MV2_*",
            "PMI*",
            "PALS_*",
            "SLURM_*",
            "PBS_*",
            "LSB_*",
            "FLUX_*",
            "COBALT_*",
            "NSLOTS",
            "PE_HOSTFILE",
        ],
    ),
    ("Networks", &["UCX_*", "FI_*", "PSM*", "HCOLL_*", "SHARP_*", "RDMAV_*", "IBV_*", "MLX5_*", "NCCL_*"]),
    (
        "Memory and libraries that are loaded",
        &[
            "MALLOC_*",
            "MIMALLOC_*",
            "JEMALLOC_*",
            "_RJEM_MALLOC_CONF",
            "TCMALLOC_*",
            "GLIBC_TUNABLES",
            "HUGETLB_*",
            "XOS_MMM_*",
            "LD_*",
            "PYTHONMALLOC",
            "PYTHONHASHSEED",
            "PYTHON_GIL",
            "GOGC",
            "GOMEMLIMIT",
            "GODEBUG",
            "_JAVA_OPTIONS",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "NODE_OPTIONS",
            "DOTNET_GC*",
        ],
    ),
    (
        "The machine",
        &[
            "NUMA*",
            "HWLOC_*",
            "CUDA_VISIBLE_DEVICES",
            "CUDA_DEVICE_ORDER",
            "CUDA_LAUNCH_BLOCKING",
            "NVIDIA_VISIBLE_DEVICES",
            "HIP_VISIBLE_DEVICES",
            "ROCR_VISIBLE_DEVICES",
            "GPU_DEVICE_ORDINAL",
            "ZE_AFFINITY_MASK",
        ],
    ),
    ("The language of the output", &["LANG", "LC_*"]),
];

/// Names that are not kept although they begin like those: they say who started the program, from where, and prove it.
pub const NOT_KEPT: [&str; 16] = [
    "SLURM_JWT",
    "SLURM_JOB_USER",
    "SLURM_JOB_UID",
    "SLURM_JOB_GID",
    "SLURM_JOB_GROUP",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_COMMENT",
    "SLURM_JOB_NAME",
    "SLURM_SUBMIT_*",
    "PBS_O_*",
    "PBS_COOKIE",
    "PBS_JOBCOOKIE",
    "PBS_JOBNAME",
    "LSB_JOBNAME",
    "LSB_PROJECT_NAME",
    "NUMAWISE_*",
];

/// True for a variable that is kept.
pub fn is_kept(name: &str) -> bool {
    let fits = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => name == *pattern,
    };
    KEPT.iter().any(|(_, patterns)| patterns.iter().any(fits)) && !NOT_KEPT.iter().any(fits)
}

/// The variables that are kept, in the order of their names, without what looks like a credential.
pub fn kept(environment: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let redactor = Redactor::default();
    let mut kept: Vec<(String, String)> = environment
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| {
            let value = redactor.variable(&name, &value);
            (name, value)
        })
        .collect();
    kept.arrange();
    kept
}
