use super::*;

#[test]
fn a_thread_stays_where_it_is_pinned() {
    std::thread::spawn(|| {
        let here = current_cpu().unwrap();
        pin(here).unwrap();
        assert_eq!(current_cpu().unwrap(), here);
    })
    .join()
    .unwrap();
}

#[test]
fn a_cpu_that_is_not_there_is_an_error() {
    assert_eq!(pin(CpuId(8191)).unwrap_err().raw_os_error(), Some(libc::EINVAL));
    assert!(pin(CpuId(100_000)).is_err());
}

#[test]
fn pages_are_nowhere_before_they_are_touched() {
    let bytes = 4 * page_size();
    let start = map(bytes, false).unwrap();
    let second = start.wrapping_add(page_size());
    // SAFETY: inside of the mapping.
    unsafe { second.write(1) };
    match nodes_of(&[start, second]) {
        Ok(nodes) => {
            assert_eq!(nodes[0], -libc::ENOENT);
            assert!(nodes[1] >= 0, "{nodes:?}");
        }
        Err(error) => eprintln!("SKIPPED: move_pages: {error}"),
    }
    // SAFETY: all of it, no longer used.
    unsafe { unmap(start, bytes) };
}

#[test]
fn a_node_that_is_not_there_is_an_error() {
    let bytes = page_size();
    let start = map(bytes, false).unwrap();
    // SAFETY: our mapping.
    assert!(unsafe { bind(start, bytes, NodeId(1023)) }.is_err());
    // SAFETY: our mapping.
    assert!(unsafe { bind(start, bytes, NodeId(5000)) }.is_err());
    // SAFETY: all of it, no longer used.
    unsafe { unmap(start, bytes) };
}

#[test]
fn time_of_the_thread_is_not_more_than_time() {
    let (wall, own) = (now(), thread_seconds());
    let mut sum = 0u64;
    while now() - wall < 0.002 {
        sum = std::hint::black_box(sum + 1);
    }
    let (wall, own) = (now() - wall, thread_seconds() - own);
    assert!(own > 0.0 && own <= wall * 1.01 + 1e-4, "{own} {wall}");
}
