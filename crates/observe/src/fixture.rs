//! Trees of files that stand for `/proc` and `/sys` in tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use numawise_units::Pid;

use numawise_linux::Roots;

/// A directory of its own, removed at the end.
pub(crate) struct Tree(PathBuf);

impl Tree {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("observe-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a new directory");
        Tree(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes over a file, in place so that open handles see it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a name below the tree")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub fn remove(&self, name: &str) {
        let path = self.0.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        removed.expect("something to remove");
    }

    /// Roots `proc` and `sys` below the tree.
    pub fn roots(&self) -> Roots {
        Roots::at(&self.0)
    }

    /// Writes a thread's files.
    pub fn thread(&self, pid: i32, tid: i32, thread: &Thread) {
        let directory = format!("proc/{pid}/task/{tid}");
        let Thread { name, state, faults, cpu, time, delay, threads, start } = thread;
        let stat = format!(
            "{tid} ({name}) {state} 1 1 1 0 -1 0 {faults} 0 0 0 {} 0 0 0 20 0 {threads} 0 {start} 1 1 1 1 1 0 0 0 0 0 0 0 0 0 \
             0 17 {cpu} 0 0 0 0\n",
            time / 10_000_000
        );
        self.write(&format!("{directory}/stat"), &stat);
        self.write(&format!("{directory}/schedstat"), &format!("{time} {delay} 3\n"));
        self.write(&format!("{directory}/status"), "Name:\tx\nCpus_allowed_list:\t0-3\n");
        self.write(&format!("{directory}/children"), "");
        if pid == tid {
            self.write(&format!("proc/{pid}/stat"), &stat);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // A tree left over in the directory for such does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a thread's files say.
pub(crate) struct Thread<'a> {
    pub name: &'a str,
    pub state: char,
    pub faults: u64,
    pub cpu: u32,
    pub time: u64,
    pub delay: u64,
    pub threads: u32,
    pub start: u64,
}

pub(crate) const THREAD: Thread = Thread {
    name: "worker",
    state: 'R',
    faults: 10,
    cpu: 1,
    time: 5_000_000,
    delay: 1_000,
    threads: 1,
    start: 77,
};

/// The process that the fixtures watch.
pub(crate) const PID: Pid = Pid(100);

/// What a process's files say, but for its threads.
pub(crate) struct Process<'a> {
    pub pid: i32,
    pub parent: i32,
    pub name: &'a str,
    pub state: char,
    pub flags: u32,
    pub threads: u32,
    pub user: u32,
    /// The words, each with a zero behind it.
    pub command: &'a str,
    pub environment: &'a str,
}

pub(crate) const PROCESS: Process = Process {
    pid: 100,
    parent: 1,
    name: "app",
    state: 'S',
    flags: 0x0040_0000,
    threads: 1,
    user: 1000,
    command: "./app\0",
    environment: "",
};

impl Tree {
    /// Writes the files of a process and of its main thread.
    pub fn process(&self, process: &Process) {
        let &Process { pid, parent, name, state, flags, threads, user, command, environment } = process;
        let stat = format!(
            "{pid} ({name}) {state} {parent} 1 1 0 -1 {flags} 21 0 3 0 5 2 0 0 20 0 {threads} 0 77 1 1 1 1 1 0 0 0 0 0 0 0 0 \
             0 0 17 1 0 0 0 0\n"
        );
        let status = format!(
            "Name:\t{name}\nTgid:\t{pid}\nUid:\t{user}\t{user}\t{user}\t{user}\nCpus_allowed_list:\t0-3\n"
        );
        for directory in [format!("proc/{pid}"), format!("proc/{pid}/task/{pid}")] {
            self.write(&format!("{directory}/stat"), &stat);
            self.write(&format!("{directory}/status"), &status);
            self.write(&format!("{directory}/cmdline"), command);
            self.write(&format!("{directory}/environ"), environment);
        }
        self.write(&format!("proc/{pid}/task/{pid}/schedstat"), "70000000 4000 3\n");
    }
}
