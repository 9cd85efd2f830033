use super::*;
use crate::calls::process::own_thread;

#[test]
fn the_clock_of_a_thread_is_seen_from_another() {
    let (send, receive) = std::sync::mpsc::channel();
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let begun = std::time::Instant::now();
        while begun.elapsed() < std::time::Duration::from_millis(20) {}
        send.send((own_thread(), thread_cpu_time())).unwrap();
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
fn time_of_the_thread_is_not_more_than_time() {
    let (wall, own) = (monotonic(), thread_cpu_time());
    let mut sum = 0u64;
    while monotonic().saturating_sub(wall) < Nanoseconds(2_000_000) {
        sum = std::hint::black_box(sum + 1);
    }
    let (wall, own) = (monotonic().saturating_sub(wall), thread_cpu_time().saturating_sub(own));
    assert!(own.0 > 0 && own.0 as f64 <= wall.0 as f64 * 1.01 + 1e5, "{own} {wall}");
    assert!(process_cpu_time() >= own);
}

#[test]
fn the_tick_is_sound() {
    assert!((1_000_000..=100_000_000).contains(&tick().0));
}

#[test]
fn sleep_and_a_clock_that_is_set_are_told_apart() {
    let moment = |monotonic, since_boot, unix_time| Moment {
        monotonic: Nanoseconds(monotonic),
        since_boot: Nanoseconds(since_boot),
        unix_time: Nanoseconds(unix_time),
    };
    let changes = |later: Moment| {
        let ClockChanges { suspended, set } = later.changes_since(&moment(100, 1_000, 50_000));
        (suspended.0, set.0)
    };
    assert_eq!(changes(moment(150, 1_050, 50_050)), (0, 0));
    assert_eq!(changes(moment(150, 1_950, 50_950)), (900, 0), "slept: the time of day went on");
    assert_eq!(changes(moment(150, 1_050, 90_050)), (0, 40_000));
    assert_eq!(changes(moment(150, 1_050, 50)), (0, 50_000), "set backwards");
    assert_eq!(changes(moment(150, 1_040, 50_040)), (0, 0), "read one after another");
    let ClockChanges { suspended, set } = Moment::now().changes_since(&Moment::now());
    assert!(suspended < Nanoseconds(100_000_000) && set < Nanoseconds(100_000_000));
}
