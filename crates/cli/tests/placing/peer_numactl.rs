//! The same request through numactl, taskset and hwloc-bind and through `numawise run`: the program sees the same.

use std::io::Write as _;
use std::process::Command;

/// What a program sees of its placement.
const LOOK: &str = "grep -E '^(Cpus|Mems)_allowed_list' /proc/self/status; \
                    sed -n 's/^[0-9a-f]* \\(.*\\) heap.*/heap \\1/p' /proc/self/numa_maps | head -n 1";

/// Mask, nodes and policy as the program sees them; `None` when the tool is not installed.
fn seen(tool: &[&str]) -> Option<(bool, String)> {
    let output = Command::new(tool[0]).args(&tool[1..]).args(["sh", "-c", LOOK]).output();
    match output {
        Ok(output) => Some((output.status.success(), String::from_utf8(output.stdout).unwrap())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not installed", tool[0]);
            None
        }
        Err(error) => panic!("{tool:?}: {error}"),
    }
}

fn ours(arguments: &[&str]) -> (bool, String) {
    let tool = [&[env!("CARGO_BIN_EXE_numawise"), "run"], arguments].concat();
    seen(&tool).unwrap()
}

fn same_as(peer: &[&str], arguments: &[&str]) {
    let Some(theirs) = seen(peer) else { return };
    assert!(theirs.0, "{peer:?} fails here: {theirs:?}");
    assert!(theirs.1.contains("Cpus_allowed_list"), "{theirs:?}");
    assert_eq!(ours(arguments), theirs, "{arguments:?} beside {peer:?}");
}

#[test]
fn numactls_options_mean_the_same() {
    for options in [
        "-C 0",
        "-C 0 -m 0",
        "--physcpubind=0 --membind=0",
        "-C all",
        "-C +0",
        "-N 0",
        "-N all",
        "-N +0 -l",
        "--cpunodebind=0 --localalloc",
        "-m all",
        "-m +0",
        "-i 0",
        "-i all",
        "--interleave=all -C +0",
        "-p 0",
        "--preferred=0",
        "-P 0",
        "-l",
        "-N 0 -m 0 -C +0",
        "-N 0 -m same",
        "-C +0 -N 0",
        "-C0 -m0",
        "-a -C 0",
        "-a -C all -m 0",
        "--all -N 0",
        "-a -m 0",
        "-b -m 0",
        "--balancing --membind=0",
        "-bm 0",
        "-b -i 0",
        "--cpunode 0 --mem=0",
        "--phys +0 --inter all",
        "--local",
        "--cpub 0",
    ] {
        let words: Vec<&str> = options.split(' ').collect();
        same_as(&[&["numactl"], words.as_slice()].concat(), &words);
    }
}

#[test]
fn numactl_reports_the_policy_that_numawise_set() {
    let shown = |tool: &[&str], options: &[&str]| -> Option<String> {
        let output =
            Command::new(tool[0]).args(&tool[1..]).args(options).args(["numactl", "--show"]).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).unwrap())
    };
    for options in
        [&["-C", "0", "-m", "0"][..], &["-i", "all"], &["-p", "0"], &["-l"], &["-N", "0", "-P", "0"]]
    {
        let Some(theirs) = shown(&["numactl"], options) else {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: numactl is not installed, or cannot do {options:?} here"
            );
            continue;
        };
        let ours = shown(&[env!("CARGO_BIN_EXE_numawise"), "run"], options);
        assert_eq!(ours.as_deref(), Some(theirs.as_str()), "{options:?}");
    }
}

/// What a tool prints with these options; `None` when it is not installed or fails.
fn printed(tool: &[&str]) -> Option<String> {
    let output =
        Command::new(tool[0]).args(&tool[1..]).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn show_and_hardware_print_what_numactl_prints() {
    let ours = env!("CARGO_BIN_EXE_numawise");
    for before in [&["-C", "0"][..], &["-m", "0"], &["-i", "0"], &["-p", "0"], &["-P", "0"]] {
        let Some(theirs) = printed(&[&["numactl"], before, &["numactl", "--show"]].concat()) else {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: numactl is not installed, or cannot do {before:?} here"
            );
            continue;
        };
        for show in ["--show", "-s", "--sho"] {
            let ours = printed(&[&["numactl"], before, &[ours, "run", show]].concat());
            assert_eq!(ours.as_deref(), Some(theirs.as_str()), "{before:?}");
        }
    }
    // What stands before --show is done first, and what stands behind it is not read.
    for options in ["-m 0 -s", "-C 0 --show", "-N 0 -i 0 -s", "-s -C 0", "-s -m 0 true", "-p 0 -a -s"] {
        let words: Vec<&str> = options.split(' ').collect();
        let Some(theirs) = printed(&[&["numactl"], words.as_slice()].concat()) else { continue };
        assert_eq!(printed(&[&[ours, "run"], words.as_slice()].concat()), Some(theirs), "{options}");
    }
    let Some(theirs) = printed(&["numactl", "--hardware"]) else { return };
    // What is free changes from one look to the next.
    let steady = |text: &str| {
        text.lines().filter(|line| !line.contains("free:")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(steady(&printed(&[ours, "run", "-H"]).unwrap()), steady(&theirs));
}

/// Under a mask `-a` takes what the cgroup allows, as numactl's does.
#[test]
fn all_reaches_beyond_the_mask() {
    let all = "0-1023";
    for options in ["-a -C 0", "-a -N 0", "-a -C all", "-a -l"] {
        let words: Vec<&str> = options.split(' ').collect();
        for mask in ["0", all] {
            let outer = ["taskset", "-c", mask];
            let Some(theirs) = seen(&[&outer[..], &["numactl"], &words].concat()) else { return };
            let ours =
                seen(&[&outer[..], &[env!("CARGO_BIN_EXE_numawise"), "run"], &words].concat()).unwrap();
            assert_eq!(ours, theirs, "{options} under mask {mask}");
        }
    }
}

#[test]
fn what_numactl_refuses_is_refused() {
    for options in [
        "-C 60000",
        "-N 60000",
        "-m 60000",
        "-C x",
        "-m 0 -i 0",
        "-m 0 -m 0",
        "-l -m 0",
        "-N same",
        "-m 0,",
        "-C +60000",
        "-m !0-1023",
        "-p all,x",
        "--p 0",
        "--pre 0",
        "--cpu 0",
        "--s",
    ] {
        let words: Vec<&str> = options.split(' ').collect();
        let Some(theirs) = seen(&[&["numactl"], words.as_slice()].concat()) else { return };
        assert!(!theirs.0, "numactl takes {options}");
        assert!(!ours(&words).0, "numactl refuses {options}");
    }
}

#[test]
fn tasksets_masks_are_the_same() {
    same_as(&["taskset", "-c", "0"], &["--cpus", "0"]);
    same_as(&["taskset", "-c", "0"], &["-C", "0"]);
    same_as(&["taskset", "0x1"], &["--place", "local", "--threads", "1"]);
}

#[test]
fn hwloc_binds_masks_are_the_same() {
    same_as(&["hwloc-bind", "node:0", "--"], &["-N", "0"]);
    same_as(&["hwloc-bind", "node:0", "--"], &["--nodes", "0"]);
    same_as(&["hwloc-bind", "pu:0", "--"], &["--place", "local", "--threads", "1", "--"]);
    same_as(&["hwloc-bind", "--single", "pu:0", "--"], &["-C", "0"]);
}

/// The same file, one after the other through either, and what each shows of it.
#[test]
fn shared_memory_has_the_policy_that_numactl_gives_and_shows() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let ours = env!("CARGO_BIN_EXE_numawise");
    for options in [
        "--length=16k --file=FILE --interleave=all --touch --dump --dump-nodes",
        "--length=32k --file=FILE --membind=0 --dump",
        "--length=16k --offset=8k --file=FILE --membind=0 --touch --dump -D",
        "-L 4096 -f FILE -l -d",
        "-L 1m -M 640 -f FILE -m 0 --verify -d",
        "-L 16k -f FILE --dump",
    ] {
        let made_by = |tool: &[&str], name: &str| {
            let file = folder.path().join(name);
            let words = options.replace("FILE", file.to_str().unwrap());
            let words: Vec<&str> = words.split(' ').collect();
            // numactl leaves a file of a case that it refuses.
            let _ = std::fs::remove_file(&file);
            let shown = printed(&[tool, words.as_slice()].concat())?;
            let show = ["-L", "4k", "-f", file.to_str().unwrap(), "-d"];
            let seen = printed(&[&["numactl"][..], &show].concat())?;
            let size = std::fs::metadata(&file).unwrap().len();
            std::fs::remove_file(&file).unwrap();
            Some((shown, seen, size))
        };
        let Some(theirs) = made_by(&["numactl"], "theirs") else {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: numactl is not installed, or cannot do {options:?} here"
            );
            continue;
        };
        assert_eq!(made_by(&[ours, "run"], "ours"), Some(theirs), "{options}");
    }
}

/// A segment that either has made, as the other shows it.
#[test]
fn segments_are_the_same_for_both() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let ours = [env!("CARGO_BIN_EXE_numawise"), "run"];
    let shm = format!("--shm={}", key.display());
    for (number, (maker, other)) in
        [(&ours[..], &["numactl"][..]), (&["numactl"], &ours)].into_iter().enumerate()
    {
        let id = format!("--shmid={}", number + 1);
        let made = printed(
            &[maker, &[id.as_str(), "--length=64k", shm.as_str(), "--interleave=all", "--touch", "--dump"]]
                .concat(),
        );
        let Some(made) = made else {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: numactl is not installed, or cannot make a segment here"
            );
            continue;
        };
        let seen =
            printed(&[other, &[id.as_str(), shm.as_str(), "--dump"]].concat()).expect("the segment is there");
        // SAFETY: a live string that ends with a zero, and numbers.
        let removed = unsafe {
            let name = std::ffi::CString::new(key.to_str().unwrap()).unwrap();
            let segment = libc::shmget(libc::ftok(name.as_ptr(), number as i32 + 1), 0, 0);
            libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut())
        };
        assert_eq!((seen, removed), (made, 0));
    }
}
