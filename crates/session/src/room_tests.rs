use std::fs;

use super::*;

/// A computer with these files and nothing else.
fn computer(files: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let roots = Roots::at(folder.path());
    (folder, roots)
}

const CGROUP: [(&str, &str); 2] = [
    ("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
    ("/proc/self/cgroup", "0::/job\n"),
];

#[test]
fn each_limit_is_found_where_it_is_the_tightest() {
    let tightest = |files: &[(&str, &str)]| {
        let (_folder, roots) = computer(&[&CGROUP[..], files].concat());
        let (room, limit) = tightest(&roots).unwrap();
        (room, limit.to_string())
    };
    let load = ("/proc/loadavg", "0.00 0.01 0.05 1/345 6789\n");
    let (room, text) = tightest(&[load, ("/proc/sys/kernel/threads-max", "400\n")]);
    assert_eq!((room, text.as_str()), (47, "/proc/sys/kernel/threads-max admits no more processes"));
    let (room, text) = tightest(&[load, ("/proc/sys/kernel/pid_max", "354\n")]);
    assert_eq!((room, text.as_str()), (1, "/proc/sys/kernel/pid_max admits no more processes"));
    let job = [("/sys/fs/cgroup/job/pids.max", "20\n"), ("/sys/fs/cgroup/job/pids.current", "2\n")];
    let (room, text) = tightest(&job);
    assert_eq!((room, text.as_str()), (10, "/sys/fs/cgroup/job/pids.max admits no more processes"));
    let (room, text) = tightest(&[("/proc/meminfo", "MemTotal: 8192 kB\nMemAvailable:  1300 kB\n")]);
    assert_eq!(room, 10);
    assert!(text.starts_with("1.3 MiB of memory are available, and a process that does nothing"), "{text}");
    let job =
        [("/sys/fs/cgroup/job/memory.max", "1000000\n"), ("/sys/fs/cgroup/job/memory.current", "800000\n")];
    let (room, text) = tightest(&job);
    assert_eq!(room, 1);
    assert!(text.starts_with("/sys/fs/cgroup/job/memory.max leaves "), "{text}");
}

#[test]
fn where_nothing_can_be_read_only_our_own_limits_count() {
    let (_folder, roots) = computer(&[]);
    let limits = limits(&roots);
    assert!(matches!(limits[..], [(_, CopiesLimit::OpenFiles { .. })]), "{limits:?}");
    assert!(super::tightest(&Roots::live()).unwrap().0 > 0, "a few processes can be started here");
}
