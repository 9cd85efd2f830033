use std::time::Instant;

use super::*;

const LONG: Duration = Duration::from_secs(60);

#[test]
fn who_waits_is_woken_by_a_ring_before_or_meanwhile_and_by_the_end_of_the_time() {
    let bell = Bell::new().unwrap();
    let begun = Instant::now();
    bell.ring();
    bell.ring();
    assert!(bell.wait(LONG));
    std::thread::scope(|scope| {
        scope.spawn(|| bell.ring());
        assert!(bell.wait(LONG));
    });
    assert!(begun.elapsed() < LONG);
    let begun = Instant::now();
    assert!(!bell.wait(Duration::from_micros(20_500)));
    assert!(begun.elapsed() >= Duration::from_micros(20_500));
}

#[test]
fn who_waits_is_woken_by_a_signal_that_it_handles() {
    extern "C" fn handled(_: libc::c_int) {}
    // SAFETY: the handler does nothing, and no other test uses this signal.
    unsafe { libc::signal(libc::SIGURG, handled as extern "C" fn(libc::c_int) as libc::sighandler_t) };
    let bell = Bell::new().unwrap();
    let begun = Instant::now();
    // SAFETY: the thread lives as long as it is waited for here.
    let me = unsafe { libc::pthread_self() };
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                // SAFETY: that thread waits for this one.
                unsafe { libc::pthread_kill(me, libc::SIGURG) };
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        assert!(!bell.wait(LONG));
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(begun.elapsed() < LONG);
}
