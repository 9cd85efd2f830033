//! What a program leaves running: nothing of it outlives its trial, nor numawise, however that ends.

use std::time::Duration;

use crate::support::{Place, RECORD, Random, send};

/// Programs whose children live longer than any test, each in another way out of reach.
const CHILDREN: [(&str, &str); 4] = [
    ("in the background", "sleep 60 > /dev/null 2>&1 &"),
    ("as an orphan", "(sleep 60 > /dev/null 2>&1 &)"),
    ("in a session of its own", "setsid sleep 60 > /dev/null 2>&1 < /dev/null &"),
    ("deaf to hang-ups, and with the output in its hands", "trap '' HUP TERM; sh -c 'sleep 60; :' &"),
];
/// Of each kind, so many kills.
const KILLS: usize = 5;

#[test]
fn no_process_outlives_us() {
    let mut random = Random::new("leftovers");
    let mut runs = 0;
    for (how, child) in CHILDREN {
        let place = Place::new();
        let program = place.program_with(child);
        let words =
            ["check", "--budget", "300ms", "--repeats", "5", "-o", RECORD, "--", program.to_str().unwrap()];
        for kill in 0..KILLS {
            let mut numawise = place.numawise(&words).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(30) + random.micros(300_000));
            let pid = numawise.id() as i32;
            send(if kill % 2 == 0 { pid } else { -pid }, libc::SIGKILL);
            numawise.wait().unwrap();
            assert_eq!(place.left_running(), Vec::<String>::new(), "{how}, kill {kill}");
        }
        // To its end, too.
        assert!(place.numawise(&words).status().unwrap().success(), "{how}");
        assert_eq!(place.left_running(), Vec::<String>::new(), "{how}");
        let (begun, _) = place.runs();
        assert!(begun >= 11, "{how}: {begun} runs");
        runs += begun;
    }
    let kinds = CHILDREN.len();
    eprintln!(
        "leftovers: {} kills of {runs} runs that left {kinds} kinds of children; none was left running",
        kinds * KILLS
    );
}
