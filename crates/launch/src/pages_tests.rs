use std::fs;

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

#[test]
fn a_system_that_gives_no_huge_pages_is_told() {
    let sys = tempfile::tempdir().unwrap();
    let problem = |pages| pages_problem(sys.path(), pages);
    assert!(problem(PageSize::Thp).unwrap().contains("cannot be read"));
    assert!(problem(PageSize::Huge).unwrap().contains("cannot be read"));
    assert_eq!(problem(PageSize::Default), None);
    assert_eq!(problem(PageSize::Small), None);

    let transparent = sys.path().join("kernel/mm/transparent_hugepage");
    fs::create_dir_all(&transparent).unwrap();
    for (text, is_problem) in [
        ("always madvise [never]\n", true),
        ("always [madvise] never\n", false),
        ("[always] madvise never\n", false),
    ] {
        fs::write(transparent.join("enabled"), text).unwrap();
        assert_eq!(problem(PageSize::Thp).is_some(), is_problem, "{text}");
    }

    let huge = sys.path().join("kernel/mm/hugepages");
    for size in ["hugepages-2048kB", "hugepages-1048576kB"] {
        fs::create_dir_all(huge.join(size)).unwrap();
        fs::write(huge.join(size).join("free_hugepages"), "0\n").unwrap();
    }
    let text = problem(PageSize::Huge).unwrap();
    assert!(text.contains("none is free") && text.contains("nr_hugepages"), "{text}");
    fs::write(huge.join("hugepages-2048kB/nr_overcommit_hugepages"), "8\n").unwrap();
    assert_eq!(problem(PageSize::Huge), None);
    fs::write(huge.join("hugepages-2048kB/nr_overcommit_hugepages"), "0\n").unwrap();
    fs::write(huge.join("hugepages-1048576kB/free_hugepages"), "3\n").unwrap();
    assert_eq!(problem(PageSize::Huge), None);
    fs::write(huge.join("hugepages-1048576kB/free_hugepages"), "rubbish").unwrap();
    assert!(problem(PageSize::Huge).is_some());
}
