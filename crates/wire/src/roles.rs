//! The role of a thread by the library that its work lies in: the same for who pins threads in the target and for who judges
//! afterwards what they did.

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;

/// What a thread does in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadRole {
    /// Does the program's work: counted and pinned.
    Worker,
    /// Belongs to an OpenMP runtime, which places it.
    OpenMp,
    /// Serves the program in the background, and may run on all CPUs of the task; with what it belongs to.
    Helper(&'static [u8]),
}

const OPEN_MP: &[u8] = b"libgomp libomp libiomp5 libomp5";
/// OpenMP runtimes that look at the CPUs of the main thread only at their first parallel region.
const LATE_OPEN_MP: &[u8] = b"libomp libiomp5 libomp5";

/// Progress of MPI and of the networks below it: Open MPI, MPICH and its children, PMIx, UCX, libfabric, PSM, verbs.
const MPI: &[u8] = b"libmpi libmpich libmpicxx libmpifort libmvapich libopen-pal libopen-rte libpmi libpmi2 libpmix \
libprrte libevent libevent_core libevent_pthreads libev libuv libucs libuct libucp libucm libucc libfabric libpsm libpsm2 \
libpsm3 libpsm_infinipath libibverbs librdmacm libmlx4 libmlx5 libhcoll libsharp libcxi libportals libnbc mca_";

const GPU: &[u8] = b"libcuda libcudart libcupti libcudadebugger libnccl libnvidia libnvrtc libnvcuvid libcublas libcufile \
libnvshmem_host libamdhip64 libhsa-runtime64 libhsakmt librccl libamdocl64 librocprofiler libroctracer librocm_smi64 \
libze_loader libze_intel_gpu libze_tracing_layer libOpenCL libigdrcl libsycl libur_loader libpi_level_zero";

const OURS: &[u8] = b"libnumawise libnumawise_agent libnumawise_collector libnumawise_heap";

/// The role of a thread whose work lies in the file `name` (without folders; empty for the program itself); `leave` is what
/// the user adds: beginnings of names, separated by commas.
pub fn role(name: &[u8], leave: &[u8]) -> ThreadRole {
    if name.is_empty() {
        return ThreadRole::Worker;
    }
    if leave.split(|byte| *byte == b',').any(|begin| !begin.is_empty() && name.starts_with(begin)) {
        return ThreadRole::Helper(b"named in NUMAWISE_PIN_LEAVE");
    }
    if !name.starts_with(b"lib") && !name.starts_with(b"mca_") {
        return ThreadRole::Worker;
    }
    if is_one_of(name, OPEN_MP) {
        ThreadRole::OpenMp
    } else if is_one_of(name, MPI) || is_provider(name) {
        ThreadRole::Helper(b"MPI")
    } else if is_one_of(name, GPU) {
        ThreadRole::Helper(b"GPU")
    } else if is_one_of(name, OURS) {
        ThreadRole::Helper(b"numawise")
    } else {
        ThreadRole::Worker
    }
}

/// True for OpenMP runtimes that would take the mask of a main thread that we pinned for the CPUs that they may use.
pub fn counts_cpus_late(name: &[u8]) -> bool {
    is_one_of(name, LATE_OPEN_MP)
}

/// The C++ library, whose start routine runs what another library or the program gave to `std::thread`.
pub fn is_cxx_library(name: &[u8]) -> bool {
    is_one_of(name, b"libstdc++")
}

/// `libmpi` is libmpi.so.40 and libmpi_usempi.so, but not libmpignition.so: what follows is no letter.
fn is_one_of(name: &[u8], list: &[u8]) -> bool {
    list.split(|byte| *byte == b' ').any(|known| match name.strip_prefix(known) {
        Some(rest) => known.ends_with(b"_") || rest.first().is_none_or(|byte| !byte.is_ascii_alphabetic()),
        None => false,
    })
}

/// libfabric's providers are files of their own, as libverbs-fi.so.
fn is_provider(name: &[u8]) -> bool {
    name.windows(6).any(|part| part == b"-fi.so")
}
