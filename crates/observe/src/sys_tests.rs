use super::*;

#[test]
fn the_clock_of_a_thread_is_seen_from_another() {
    let (send, receive) = std::sync::mpsc::channel();
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let begun = std::time::Instant::now();
        while begun.elapsed() < std::time::Duration::from_millis(20) {}
        send.send((own_thread(), own_cpu_time())).unwrap();
        wait.recv().unwrap();
    });
    let (tid, own) = receive.recv().unwrap();
    let seen = cpu_time_of(tid).expect("a living thread");
    assert!(seen >= own, "{seen} is less than {own}");
    assert!(seen < own + Nanoseconds(20_000_000), "{seen} is far from {own}");
    release.send(()).unwrap();
    thread.join().unwrap();
    // Ended, or about to be: never a made-up zero.
    assert_ne!(cpu_time_of(tid), Some(Nanoseconds(0)));
}

#[test]
fn the_mask_is_that_of_status() {
    let text = std::fs::read("/proc/thread-self/status").unwrap();
    let status = crate::read::status::Status::parse(&text).unwrap();
    assert_eq!(affinity(own_thread()).unwrap(), status.cpus.unwrap());
    assert_eq!(affinity(Pid(i32::MAX)).unwrap_err().raw_os_error(), Some(libc::ESRCH));
}

#[test]
fn pages_of_our_own_are_found() {
    let page = page_size().0 as usize;
    let memory = vec![1u8; 8 * page];
    let first = (memory.as_ptr() as usize).next_multiple_of(page);
    // The last address is in no mapping.
    let addresses = [first, first + page, 16 * page];
    let mut nodes = [i32::MIN; 3];
    match page_nodes(Pid(std::process::id() as i32), &addresses, &mut nodes) {
        Ok(()) => {
            assert!(nodes[0] >= 0 && nodes[1] >= 0, "{nodes:?}");
            assert!(nodes[2] < 0, "{nodes:?}");
        }
        // What a container's filter answers.
        Err(error) => assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)), "{error}"),
    }
}

#[test]
fn the_systems_constants_are_sound() {
    assert!(page_size().0.is_power_of_two() && page_size().0 >= 4096);
    assert!((1_000_000..=100_000_000).contains(&tick().0));
    assert!(open_files_limit() > 0);
}
