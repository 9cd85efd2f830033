//! A program whose truth is known: it does what its arguments say, so that tests can compare what the observer saw.
//!
//! Modes: `quick` | `spin MS` | `burn MS` | `known CPU CPU MIB MS` | `threads COUNT MS` | `after MS COUNT MS` | `short COUNT` | `forks COUNT MS` |
//! `memory MIB MS` | `interleaved MIB MS` | `segment MIB MS` | `mappings COUNT MS` | `named NAME MS` | `private MS` | `crowd THREADS MAPPINGS MS [MIB]` | `kinds MS` |
//! `kinds-huge MS` | `headless MS`. All but `quick`, `threads` and `after` say `ready` when all is as they promise.

use std::io::{Read, Write};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

mod kinds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> u64 { words[at].parse().expect("a number") };
    let span = |at: usize| Duration::from_millis(number(at));
    match words[0].as_str() {
        "quick" => {}
        "spin" => {
            ready();
            spin(span(1));
        }
        "burn" => burn(span(1)),
        "known" => known(number(1) as usize, number(2) as usize, number(3) as usize, span(4)),
        "threads" => threads(number(1), span(2)),
        "after" => {
            spin(span(1));
            let time = span(3);
            let all: Vec<_> = (0..number(2)).map(|_| thread::spawn(move || spin(time))).collect();
            all.into_iter().for_each(|thread| thread.join().expect("no panic"));
        }
        "short" => short(number(1)),
        "forks" => forks(number(1), span(2)),
        "memory" => {
            let memory = map(number(1) as usize);
            touch(memory, number(1) as usize);
            ready();
            thread::sleep(span(2));
        }
        "interleaved" => {
            let memory = map(number(1) as usize);
            interleave(memory, number(1) as usize);
            touch(memory, number(1) as usize);
            ready();
            thread::sleep(span(2));
        }
        "segment" => segment(number(1) as usize, span(2)),
        "mappings" => {
            mappings(number(1));
            ready();
            thread::sleep(span(2));
        }
        "crowd" => {
            mappings(number(2));
            if words.len() > 4 {
                touch(map(number(4) as usize), number(4) as usize);
            }
            crowd(number(1), span(3));
        }
        "kinds" | "kinds-huge" => {
            kinds::make(words[0] == "kinds-huge");
            ready();
            thread::sleep(span(1));
        }
        "headless" => headless(span(1)),
        "named" => {
            let worker = thread::Builder::new().name(words[1].clone());
            let time = span(2);
            let worker = worker.spawn(move || spin(time)).expect("a thread");
            ready();
            worker.join().expect("no panic");
        }
        "private" => {
            // SAFETY: sets a flag of this process: others of the same user may no longer look at it.
            unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
            ready();
            spin(span(1));
        }
        other => panic!("no mode '{other}'"),
    }
}

fn spin(span: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < span {
        std::hint::spin_loop();
    }
}

/// Spins until the process has used this much CPU time, however often other work got in between.
fn burn(cpu_time: Duration) {
    let used = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the kernel writes into the live struct.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    while used() < cpu_time {
        std::hint::spin_loop();
    }
}

/// Maps private anonymous memory in small pages.
fn map(mib: usize) -> *mut u8 {
    mapped(mib, libc::MAP_PRIVATE)
}

/// A segment that this process touches whole, and each of four children a quarter and what all of them read.
fn segment(mib: usize, span: Duration) {
    const HEADER: usize = 64 << 10;
    let memory = mapped(mib, libc::MAP_SHARED);
    touch(memory, mib);
    let part = (mib << 20) / 4;
    let (mut ended, end) = std::io::pipe().expect("a pipe");
    let child = |k: usize| {
        // SAFETY: this process has one thread; a child touches what is mapped, sleeps and leaves at once.
        unsafe {
            let pid = libc::fork();
            assert!(pid >= 0, "no child");
            if pid == 0 {
                for at in (0..HEADER).chain(k * part..(k + 1) * part).step_by(4096) {
                    memory.add(at).write_volatile(2);
                }
                (&end).write_all(b"x").expect("the parent reads");
                thread::sleep(span);
                libc::_exit(0);
            }
            pid
        }
    };
    let children: Vec<libc::pid_t> = (0..4).map(child).collect();
    ended.read_exact(&mut [0; 4]).expect("all have touched theirs");
    ready();
    for pid in children {
        // SAFETY: waits for a child made above; the kernel writes nothing.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    }
}

fn mapped(mib: usize, sharing: i32) -> *mut u8 {
    // SAFETY: a new mapping at an address of the kernel's choice harms nothing that is there.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            mib << 20,
            libc::PROT_READ | libc::PROT_WRITE,
            sharing | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(memory, libc::MAP_FAILED, "no memory");
        libc::madvise(memory, mib << 20, libc::MADV_NOHUGEPAGE);
        memory.cast()
    }
}

/// Gives the mapping a policy: interleaved over the nodes of which there is always one, node 0.
fn interleave(memory: *mut u8, mib: usize) {
    let nodes: libc::c_ulong = 1;
    // SAFETY: the kernel reads the live mask of one word; the mapping is as long as it is said to be.
    let result = unsafe {
        libc::syscall(libc::SYS_mbind, memory, mib << 20, libc::MPOL_INTERLEAVE, &raw const nodes, 64, 0)
    };
    assert_eq!(result, 0, "no policy: {}", std::io::Error::last_os_error());
}

fn touch(memory: *mut u8, mib: usize) {
    for at in (0..mib << 20).step_by(4096) {
        // SAFETY: `at` is below the length of the mapping.
        unsafe { memory.add(at).write_volatile(1) };
    }
}

fn pin(cpu: usize) {
    // SAFETY: the set is a plain array of bits, valid when all are zero; `cpu` is checked by CPU_SET.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0, "cannot pin");
    }
}

/// Thread `toucher` on the first CPU writes the memory and spins; thread `spinner` spins on the second.
fn known(first: usize, second: usize, mib: usize, span: Duration) {
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    let both = Arc::new(Barrier::new(3));
    let (one, other) = (Arc::clone(&both), Arc::clone(&both));
    let toucher = named("toucher").spawn(move || {
        pin(first);
        touch(map(mib), mib);
        one.wait();
        spin(span);
    });
    let spinner = named("spinner").spawn(move || {
        pin(second);
        other.wait();
        spin(span);
    });
    both.wait();
    ready();
    for thread in [toucher, spinner] {
        thread.expect("a thread").join().expect("no panic");
    }
}

/// Threads that wake up now and then.
fn threads(count: u64, span: Duration) {
    let all: Vec<_> = (0..count)
        .map(|_| {
            let worker = thread::Builder::new().stack_size(64 << 10);
            let begun = Instant::now();
            let body = move || {
                while begun.elapsed() < span {
                    thread::sleep(Duration::from_millis(50));
                }
            };
            worker.spawn(body).expect("a thread")
        })
        .collect();
    all.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

/// Threads one after the other, each of 2 ms.
fn short(count: u64) {
    ready();
    for _ in 0..count {
        thread::spawn(|| spin(Duration::from_millis(2))).join().expect("no panic");
    }
}

/// Children that touch 8 MiB each and spin, and a grandchild below each.
fn forks(count: u64, span: Duration) {
    let me = std::env::current_exe().expect("a path");
    let children: Vec<_> = (0..count)
        .map(|_| {
            let mut shell = std::process::Command::new("/bin/sh");
            // `; true` keeps the shell from becoming the program.
            shell.arg("-c").arg(format!("{} burn {}; true", me.display(), span.as_millis()));
            shell.spawn().expect("a child")
        })
        .collect();
    ready();
    for mut child in children {
        child.wait().expect("an ended child");
    }
}

/// Mappings of one page each, with different rights so that the kernel does not merge them.
fn mappings(count: u64) {
    for k in 0..count {
        let rights = if k % 2 == 0 { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        // SAFETY: a new mapping harms nothing; the page written is one that may be.
        unsafe {
            let page = libc::mmap(
                std::ptr::null_mut(),
                4096,
                rights,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if page == libc::MAP_FAILED {
                break; // vm.max_map_count
            }
            if k % 2 == 0 {
                page.cast::<u8>().write_volatile(1);
            }
        }
    }
}

fn ready() {
    let mut out = std::io::stdout();
    writeln!(out, "ready").and_then(|()| out.flush()).expect("someone who listens");
}

/// Threads that sleep all the time.
fn crowd(count: u64, span: Duration) {
    let small = || thread::Builder::new().stack_size(64 << 10);
    let all: Vec<_> =
        (0..count).map(|_| small().spawn(move || thread::sleep(span)).expect("a thread")).collect();
    ready();
    all.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

/// The main thread ends, another lives on.
fn headless(span: Duration) {
    thread::spawn(move || {
        let me = std::process::id();
        let ended = || {
            let stat = std::fs::read_to_string(format!("/proc/self/task/{me}/stat")).expect("our own file");
            stat.contains(") Z ")
        };
        while !ended() {
            thread::sleep(Duration::from_millis(1));
        }
        ready();
        thread::sleep(span);
        std::process::exit(0);
    });
    // SAFETY: ends this thread alone; it holds nothing that the other needs.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}
