use numawise_facts::MemoryPlan;

use super::*;

fn plan(pages: PageSize) -> MemoryPlan {
    MemoryPlan { pages, ..MemoryPlan::default_policy() }
}

fn tunables(pages: PageSize, now: &str) -> Option<String> {
    let changes =
        page_changes_from(&plan(pages), &|name| (name == TUNABLES && !now.is_empty()).then(|| now.into()));
    changes.into_iter().next().and_then(|change| change.value)
}

#[test]
fn the_c_library_is_told_beside_its_other_tunables() {
    assert_eq!(tunables(PageSize::Default, "a=b"), None);
    assert_eq!(tunables(PageSize::Small, ""), None);
    assert_eq!(tunables(PageSize::Thp, "").as_deref(), Some("glibc.malloc.hugetlb=1"));
    assert_eq!(
        tunables(PageSize::Huge, "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=2:").as_deref(),
        Some("glibc.malloc.arena_max=2:glibc.malloc.hugetlb=2")
    );
    assert_eq!(
        tunables(PageSize::Thp, "glibc.malloc.hugetlbx=1").as_deref(),
        Some("glibc.malloc.hugetlbx=1:glibc.malloc.hugetlb=1")
    );
}
