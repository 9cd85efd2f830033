use super::*;

/// Flags of the mapping that holds an address.
fn flags(address: usize) -> Vec<String> {
    let all = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut is_it = false;
    for line in all.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if let Some((from, to)) = first.split_once('-') {
            let at = |text: &str| usize::from_str_radix(text, 16);
            if let (Ok(from), Ok(to)) = (at(from), at(to)) {
                is_it = (from..to).contains(&address);
            }
        }
        if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_it) {
            return flags.split_whitespace().map(str::to_owned).collect();
        }
    }
    panic!("no mapping has {address:x}");
}

#[test]
fn what_is_big_is_asked_of_huge_pages_and_keeps_its_contents() {
    if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
        eprintln!("SKIPPED: the kernel has no transparent huge pages");
        return;
    }
    let is_asked =
        |start: *mut u8, bytes: usize| flags(start.addr() + bytes / 2).iter().any(|flag| flag == "hg");
    let layout = |bytes| Layout::from_size_align(bytes, 16).unwrap();
    // SAFETY: each is given back with the layout that it has then, and used within it.
    unsafe {
        let start = HugeHeap.alloc(layout(4 * BIG));
        assert!(is_asked(start, 4 * BIG));
        start.add(5).write(7);
        let start = HugeHeap.realloc(start, layout(4 * BIG), 16 * BIG);
        assert!(is_asked(start, 16 * BIG));
        assert_eq!(start.add(5).read(), 7);
        HugeHeap.dealloc(start, layout(16 * BIG));
        let zeros = HugeHeap.alloc_zeroed(layout(BIG));
        assert_eq!(zeros.add(BIG - 1).read(), 0);
        HugeHeap.dealloc(zeros, layout(BIG));
        let small = HugeHeap.alloc(layout(1000));
        assert!(!is_asked(small, 1000));
        HugeHeap.dealloc(small, layout(1000));
    }
}
