use std::fs;

use super::*;

#[test]
fn a_system_that_gives_no_huge_pages_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let roots = Roots::at(root.path());
    let code = |pages| problem(&roots, pages).map(|notice| notice.code());
    assert_eq!(code(PageSize::Thp), Some("NW617"), "it cannot be read");
    assert_eq!(code(PageSize::Huge), Some("NW619"), "it cannot be read");
    assert_eq!(code(PageSize::Default), None);
    assert_eq!(code(PageSize::Small), None);

    let transparent = roots.path(memory::TRANSPARENT_HUGE_PAGES);
    fs::create_dir_all(transparent.parent().unwrap()).unwrap();
    for (text, expected) in [
        ("always madvise [never]\n", Some("NW616")),
        ("always [madvise] never\n", None),
        ("[always] madvise never\n", None),
    ] {
        fs::write(&transparent, text).unwrap();
        assert_eq!(code(PageSize::Thp), expected, "{text}");
    }

    let huge = roots.path(memory::HUGE_PAGES);
    for size in ["hugepages-2048kB", "hugepages-1048576kB"] {
        fs::create_dir_all(huge.join(size)).unwrap();
        fs::write(huge.join(size).join("free_hugepages"), "0\n").unwrap();
    }
    assert_eq!(code(PageSize::Huge), Some("NW618"));
    fs::write(huge.join("hugepages-2048kB/nr_overcommit_hugepages"), "8\n").unwrap();
    assert_eq!(code(PageSize::Huge), None);
    fs::write(huge.join("hugepages-2048kB/nr_overcommit_hugepages"), "0\n").unwrap();
    fs::write(huge.join("hugepages-1048576kB/free_hugepages"), "3\n").unwrap();
    assert_eq!(code(PageSize::Huge), None);
    fs::write(huge.join("hugepages-1048576kB/free_hugepages"), "rubbish").unwrap();
    assert_eq!(code(PageSize::Huge), Some("NW618"));
}
