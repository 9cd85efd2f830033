//! Calls on files: bytes to the last one, times as the program has them, and nothing for what is no file.

use numawise_wire::snapshot::reader::{FileCallsRecord, SnapshotFile};
use numawise_wire::snapshot::{FileOperation, Flag};

use crate::support::Bench;

/// What the threads of a process did, by kind of call: all summed.
fn summed(file: &SnapshotFile<'_>) -> [FileCallsRecord; 4] {
    use FileOperation::{Manage, Read, Sync, Write};
    [Read, Write, Sync, Manage].map(|operation| {
        let none = FileCallsRecord { count: 0, ticks: 0, longest: 0, bytes: 0 };
        file.threads().map(|thread| thread.file_calls(operation)).fold(none, |sum, one| FileCallsRecord {
            count: sum.count + one.count,
            ticks: sum.ticks + one.ticks,
            longest: sum.longest.max(one.longest),
            bytes: sum.bytes + one.bytes,
        })
    })
}

/// Runs a way of the program; gives the file of the process that was started, and what it printed.
fn run(bench: &Bench, way: &str) -> Option<(Vec<u8>, Vec<u64>)> {
    let program = bench.compile("gcc", "files.c", &["-pthread", "-D_FORTIFY_SOURCE=2", "-O2"])?;
    let ended = bench.with(&[program.to_str().unwrap(), way, "print"]);
    assert_eq!((ended.status.code(), ended.errors.as_str()), (Some(3), ""), "{way}");
    let printed = ended.output.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let mut files = bench.take_files();
    files.retain(|bytes| !SnapshotFile::parse(bytes).unwrap().has(Flag::Forked));
    Some((
        files.into_iter().find(|bytes| SnapshotFile::parse(bytes).unwrap().program().ends_with(b"gcc"))?,
        printed,
    ))
}

/// Bytes read and written as the file has them and as the program counted.
fn bytes_are_exact(way: &str) {
    let bench = Bench::new();
    let Some((bytes, printed)) = run(&bench, way) else { return };
    let file = SnapshotFile::parse(&bytes).unwrap();
    let [read, written, ..] = summed(&file);
    assert_eq!([read.bytes, written.bytes], printed[..2], "{way}");
    // The kernel's account holds pipes and what it makes up too, and nothing less.
    let [read, written, ..] = file.kernel_bytes().expect("an account of the kernel");
    assert!(read >= printed[0] && written >= printed[1], "{way}: {read} {written} {printed:?}");
}

#[test]
fn calls_of_the_c_library_are_counted_with_their_bytes() {
    let bench = Bench::new();
    let Some((bytes, printed)) = run(&bench, "posix") else { return };
    let all = summed(&SnapshotFile::parse(&bytes).unwrap());
    let [read, written, synced, managed] = all;
    assert_eq!([read.bytes, written.bytes], printed[..2]);
    assert_eq!((written.count, synced.count, managed.count), (203, 2, 3));
    assert!(all.iter().all(|calls| calls.ticks >= calls.longest && calls.longest > 0), "{all:?}");
}

#[test]
#[ignore = "timing: calls on files vs the program's clock"]
fn calls_of_the_c_library_have_their_time() {
    let bench = Bench::new();
    let mut last = String::new();
    // Other work may come between the program's clock and ours.
    for _ in 0..5 {
        let Some((bytes, printed)) = run(&bench, "posix") else { return };
        let file = SnapshotFile::parse(&bytes).unwrap();
        let ticks: u64 = summed(&file).iter().map(|calls| calls.ticks).sum();
        let found = ticks as f64 * file.nanoseconds_per_tick().unwrap();
        // The program reads the clock twice for each call, and does not time those that open and close.
        let noted = printed[2] as f64;
        last = format!("{found} ns were measured, the program noted {noted}");
        eprintln!("{last}");
        if (found - noted).abs() < (0.02 * noted).max(200_000.0) {
            return;
        }
    }
    panic!("{last}");
}

#[test]
fn what_streams_write_and_read_is_exact_to_the_byte() {
    bytes_are_exact("streams");
    bytes_are_exact("exit");
    let bench = Bench::new();
    let Some((bytes, _)) = run(&bench, "streams") else { return };
    let file = SnapshotFile::parse(&bytes).unwrap();
    assert!(file.has(Flag::Streams));
    // Not each fprintf is a call: the buffer is.
    let [_, written, ..] = summed(&file);
    assert!((100..2000).contains(&written.count), "{}", written.count);
}

#[test]
fn pipes_devices_and_what_the_kernel_makes_up_are_no_files() {
    let bench = Bench::new();
    let Some((bytes, _)) = run(&bench, "pipes") else { return };
    let file = SnapshotFile::parse(&bytes).unwrap();
    assert!(summed(&file).iter().all(|calls| calls.count == 0), "{:?}", summed(&file));
    let [read, written, ..] = file.kernel_bytes().unwrap();
    assert!(read >= 1105 && written >= 5, "{read} {written}");
}

#[test]
fn a_number_that_becomes_a_pipe_is_no_file_any_more() {
    bytes_are_exact("numbers");
}

#[test]
fn calls_are_left_in_any_way() {
    for way in ["leap", "cancel", "threads", "children", "closes", "copies"] {
        bytes_are_exact(way);
    }
    let bench = Bench::new();
    run(&bench, "handlers");
}

#[test]
fn programs_with_files_print_and_end_as_without_it() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "files.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    for way in [
        "posix", "streams", "pipes", "numbers", "handlers", "leap", "cancel", "threads", "children", "closes",
    ] {
        let words = [program, way];
        assert_eq!(bench.with(&words), bench.without(&words), "{way}");
    }
    bench.take_files();
    for script in [
        "seq 10000 > n; sort -rn n | head -3; wc -l < n; tee m < n | tail -1; rm m n",
        "dd if=/dev/zero of=d bs=64k count=16 2>e; cat d | cksum; cp d f; cmp d f; rm d e f; exec 5>g; echo x >&5; cat g",
        "cat /proc/self/comm missing; echo $?",
        "ulimit -n 20; echo a > a; cat a; (exec 3<a; cat <&3); (exec 3<&-; ls a)",
    ] {
        let words = ["sh", "-c", script];
        assert_eq!(bench.with(&words), bench.without(&words), "{script}");
    }
}

#[test]
fn programs_that_write_a_file_of_known_length() {
    let bench = Bench::new();
    let megabyte = 1 << 20;
    for (words, written) in [
        (
            &["dd", "if=/dev/zero", "of=d", "bs=64k", "count=16", "conv=fsync", "status=none"] as &[&str],
            megabyte,
        ),
        (&["python3", "-c", "open('p', 'wb').write(b'x' * (1 << 20))"], megabyte),
        (&["python3", "-c", "f = open('q', 'w')\nfor k in range(10000): print('%9d' % k, file=f)"], 100_000),
        (&["sh", "-c", "printf %1000s x > s"], 1000),
        (&["perl", "-e", "open(F, '>', 'r'); print F 'x' x 1048576; close F"], megabyte),
    ] {
        if bench.without(&["sh", "-c", &format!("command -v {}", words[0])]).status.code() != Some(0) {
            eprintln!("SKIPPED: no {}", words[0]);
            continue;
        }
        assert!(bench.with(words).status.success());
        let files = bench.take_files();
        let of = |bytes: &Vec<u8>| summed(&SnapshotFile::parse(bytes).unwrap())[1].bytes;
        assert_eq!(files.iter().map(of).sum::<u64>(), written, "{words:?}");
    }
}

#[test]
fn what_fortran_writes_and_reads_is_exact() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gfortran", "files.f90", &[]) else { return };
    let ended = bench.with(&[program.to_str().unwrap()]);
    assert_eq!((ended.status.code(), ended.errors.as_str()), (Some(0), ""));
    let files = bench.take_files();
    let [read, written, ..] = summed(&SnapshotFile::parse(&files[0]).unwrap());
    // Unformatted: a record of 80,000 bytes and its two lengths; formatted: 100 lines of 11.
    assert_eq!((written.bytes, read.bytes), (80_008 + 1100, 80_008));
}
