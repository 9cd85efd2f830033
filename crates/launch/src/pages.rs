//! The size of a program's pages: what its C library and its process are told.

use std::ffi::OsString;

use numawise_facts::{MemoryPlan, PageSize};
use numawise_linux::raw::{self, Errno};

use crate::change::Change;

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

const TUNABLES: &str = "GLIBC_TUNABLES";
const HUGETLB: &str = "glibc.malloc.hugetlb";

/// What the environment of a program needs for the pages that its plan asks for: one of glibc's tunables (2.35), beside
/// those that are set already.
pub fn page_changes(plan: &MemoryPlan) -> Vec<Change> {
    page_changes_from(plan, &|name| std::env::var_os(name))
}

pub(crate) fn page_changes_from(plan: &MemoryPlan, now: &dyn Fn(&str) -> Option<OsString>) -> Vec<Change> {
    let value = match plan.pages {
        PageSize::Thp => 1,
        PageSize::Huge => 2,
        PageSize::Default | PageSize::Small => return Vec::new(),
    };
    let now = now(TUNABLES).map(|list| list.to_string_lossy().into_owned()).unwrap_or_default();
    let others = now.split(':').filter(|tunable| {
        !tunable.is_empty() && tunable.split_once('=').is_none_or(|(name, _)| name != HUGETLB)
    });
    let ours = format!("{HUGETLB}={value}");
    let all: Vec<&str> = others.chain([ours.as_str()]).collect();
    vec![Change::set(TUNABLES, all.join(":"))]
}

/// Tells the kernel for this process, and for what it becomes, that huge pages are not wanted. Allocates nothing, so it
/// may stand between fork and exec.
pub(crate) fn apply(pages: PageSize) -> Result<(), Errno> {
    if pages != PageSize::Small {
        return Ok(());
    }
    let (yes, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: takes numbers only; the kernel refuses it unless the last three are zero.
    let result = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, yes, unused, unused, unused) };
    if result < 0 { Err(raw::errno()) } else { Ok(()) }
}
