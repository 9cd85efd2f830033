//! The size of a program's pages: what its C library and its process are told, and what the system has of them.

use std::ffi::OsString;
use std::path::Path;

use numawise_facts::{MemoryPlan, PageSize};

use crate::Change;
use numawise_linux::raw::{self, Errno};

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
    vec![Change { name: TUNABLES, value: Some(all.join(":")) }]
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

/// Why the pages that were asked for will not be had, or not all; `root` is `/sys`.
pub fn pages_problem(root: &Path, pages: PageSize) -> Option<String> {
    match pages {
        PageSize::Default | PageSize::Small => None,
        PageSize::Thp => transparent(&root.join("kernel/mm/transparent_hugepage/enabled")),
        PageSize::Huge => reserved(&root.join("kernel/mm/hugepages")),
    }
}

fn transparent(file: &Path) -> Option<String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            return Some(format!(
                "transparent huge pages were asked for, and {} cannot be read ({error}): this kernel seems to have none",
                file.display()
            ));
        }
    };
    text.contains("[never]").then(|| {
        format!(
            "transparent huge pages were asked for, and the system gives none: {} is [never]; root can write madvise to it",
            file.display()
        )
    })
}

/// Pages of any size that are free, or that the kernel may still reserve on demand.
fn reserved(folder: &Path) -> Option<String> {
    let number = |file: &Path| -> u64 {
        // A size without the file has none of that kind to give.
        std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    };
    let sizes: Vec<_> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => {
            return Some(format!(
                "huge pages were asked for, and {} cannot be read ({error}): this kernel seems to have none",
                folder.display()
            ));
        }
    };
    let some = sizes
        .iter()
        .any(|size| number(&size.join("free_hugepages")) + number(&size.join("nr_overcommit_hugepages")) > 0);
    (!some).then(|| {
        format!(
            "huge pages were asked for, and none is free ({}/*/free_hugepages are 0); memory comes in ordinary pages until \
             root reserves some (nr_hugepages), or try the size thp",
            folder.display()
        )
    })
}
