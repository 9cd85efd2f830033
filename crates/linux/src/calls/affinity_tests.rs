use super::*;
use crate::calls::process::own_thread;

#[test]
fn the_mask_of_a_thread_is_the_callers_own() {
    assert_eq!(of(own_thread()).unwrap(), own().unwrap());
    assert_eq!(of(Pid(i32::MAX)).unwrap_err().raw_os_error(), Some(libc::ESRCH));
}

#[test]
fn a_thread_stays_where_it_is_pinned() {
    std::thread::spawn(|| {
        let here = current_cpu().unwrap();
        set_own(&CpuSet::single(here)).unwrap();
        assert_eq!(current_cpu().unwrap(), here);
        assert_eq!(own().unwrap(), CpuSet::single(here));
    })
    .join()
    .unwrap();
}

#[test]
fn a_cpu_that_is_not_there_is_an_error() {
    for cpu in [8191, 65_535] {
        let refused = set_own(&CpuSet::single(CpuId(cpu))).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EINVAL), "{cpu}");
    }
}

#[test]
fn the_widest_mask_is_found_and_the_own_one_comes_back() {
    std::thread::spawn(|| {
        let all = own().unwrap();
        let one = CpuSet::single(all.first().unwrap());
        set_own(&one).unwrap();
        assert!(all.is_subset(&widest().unwrap()));
        assert_eq!(own().unwrap(), one);
    })
    .join()
    .unwrap();
}

#[test]
fn another_thread_is_placed_and_the_caller_is_not() {
    let (tell, told) = std::sync::mpsc::channel();
    let (end, wait) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        tell.send(own_thread()).unwrap();
        wait.recv().unwrap_err();
        own().unwrap()
    });
    let (before, thread) = (own().unwrap(), told.recv().unwrap());
    let last = CpuSet::single(before.iter().last().unwrap());
    set(thread, &last).unwrap();
    assert_eq!((own().unwrap(), of(thread).unwrap()), (before, last.clone()));
    drop(end);
    assert_eq!(other.join().unwrap(), last);
}

#[test]
fn only_threads_are_placed() {
    for thread in [i32::MIN, -1, 0] {
        let refused = set(Pid(thread), &own().unwrap()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{thread}");
    }
    assert_eq!(set(Pid(i32::MAX), &own().unwrap()).unwrap_err().raw_os_error(), Some(libc::ESRCH));
}
