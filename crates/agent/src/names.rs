//! Whose thread it is, by the library that its work lies in.

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;

/// What becomes of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is one of those that work: counted and pinned.
    Worker,
    /// The OpenMP runtime places it.
    OpenMp,
    /// It serves the program beside its work and belongs nowhere: all CPUs of the task.
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

const OURS: &[u8] = b"libnumawise libnumawise_agent";

/// The kind of a thread whose work lies in the file `name` (without folders; empty for the program itself); `leave` is what
/// the user adds: beginnings of names, parted by commas.
pub fn kind(name: &[u8], leave: &[u8]) -> Kind {
    if name.is_empty() {
        return Kind::Worker;
    }
    if leave.split(|byte| *byte == b',').any(|begin| !begin.is_empty() && name.starts_with(begin)) {
        return Kind::Helper(b"named in NUMAWISE_PIN_LEAVE");
    }
    if !name.starts_with(b"lib") && !name.starts_with(b"mca_") {
        return Kind::Worker;
    }
    if is_one_of(name, OPEN_MP) {
        Kind::OpenMp
    } else if is_one_of(name, MPI) || is_provider(name) {
        Kind::Helper(b"MPI")
    } else if is_one_of(name, GPU) {
        Kind::Helper(b"GPU")
    } else if is_one_of(name, OURS) {
        Kind::Helper(b"numawise")
    } else {
        Kind::Worker
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
