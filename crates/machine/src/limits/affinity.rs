//! Whether threads can be placed on CPUs at all. Only asked, never changed.

use numawise_facts::notice::{AffinityRefusal, MachineNotice};
use numawise_linux::calls::affinity;

/// How the call that sets the CPUs of a thread is refused to this process, where it is: one system call.
pub fn affinity_refusal() -> Option<AffinityRefusal> {
    refusal(affinity::set_none().err())
}

/// What the answer to a request for no CPU means. The kernel's own is `EINVAL`; of others nothing is claimed.
fn refusal(errno: Option<i32>) -> Option<AffinityRefusal> {
    match errno {
        None => Some(AffinityRefusal::Ignored),
        Some(libc::EPERM | libc::EACCES) => Some(AffinityRefusal::Forbidden),
        Some(libc::ENOSYS) => Some(AffinityRefusal::Missing),
        Some(_) => None,
    }
}

pub fn limit() -> Option<MachineNotice> {
    affinity_refusal().map(|by| MachineNotice::AffinityCallsRefused { by })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_answer_is_no_refusal() {
        assert_eq!(affinity_refusal(), None, "this test needs a kernel that lets threads be placed");
        assert_eq!(refusal(Some(libc::EINVAL)), None);
    }

    #[test]
    fn what_answers_in_place_of_the_kernel_is_told_apart() {
        assert_eq!(refusal(Some(libc::EPERM)), Some(AffinityRefusal::Forbidden));
        assert_eq!(refusal(Some(libc::ENOSYS)), Some(AffinityRefusal::Missing));
        assert_eq!(refusal(None), Some(AffinityRefusal::Ignored));
    }
}
