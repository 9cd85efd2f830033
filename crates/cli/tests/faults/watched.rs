//! What is left of a program that is watched when numawise ends before it: nothing of what it has started, and nothing of ours.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::collector::installed;
use crate::leftovers::{CHILDREN, End};
use crate::pty::{Terminal, ended};
use crate::support::{Place, RECORD, send, wait_until};

const WATCHED: [&[&str]; 3] = [&["snapshot"], &["objects"], &["snapshot", "--objects"]];

/// Ways to end numawise from outside. Those who heed no SIGTERM and no SIGHUP go on by the others only.
const ENDS: [(&str, End); 6] = [
    ("SIGKILL", End::Signal(libc::SIGKILL)),
    ("SIGTERM", End::Signal(libc::SIGTERM)),
    ("SIGKILL of its group", End::SignalOfGroup(libc::SIGKILL)),
    ("SIGHUP", End::Signal(libc::SIGHUP)),
    ("SIGINT of its group", End::SignalOfGroup(libc::SIGINT)),
    ("its terminal is closed", End::Terminal),
];

/// A numawise of this place with the libraries that watch programs.
struct Installed {
    place: Place,
    _folder: tempfile::TempDir,
    numawise: PathBuf,
}

impl Installed {
    fn new() -> Installed {
        // A hard link to the binary wants the same file system.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let numawise = installed(folder.path(), true);
        Installed { place: Place::new(), _folder: folder, numawise }
    }

    fn command(&self, words: &[&str], program: &Path) -> Command {
        let mut command = Command::new(&self.numawise);
        command.args(words).arg("--").arg(program);
        self.place.settle(&mut command);
        command
    }

    /// The processes that the program has left, once there are some.
    fn children(&self) -> Vec<i32> {
        let mut found = Vec::new();
        wait_until("the program has a child", || {
            found = self.place.processes_with("sleep 600");
            !found.is_empty()
        });
        found
    }

    /// Folders of a process in memory.
    fn folders(pid: u32) -> Vec<String> {
        let names = std::fs::read_dir("/dev/shm").unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        names.filter(|name| name.starts_with(&format!("numawise-snapshot-{pid}-"))).collect()
    }

    fn nothing_is_left(&self, pid: u32, what: &str) {
        assert_eq!(self.place.left_running(), Vec::<String>::new(), "{what}");
        assert_eq!(Installed::folders(pid), Vec::<String>::new(), "{what}");
        let lying = self.place.left_lying(&[RECORD]);
        assert!(!lying.iter().any(|name| name.starts_with("tmp/numawise")), "{what}: {lying:?}");
    }
}

/// What a program waits for itself, behind its other children. A shell that gets SIGINT before it has started this waits for it all the same, with
/// and without us.
const LAST_CHILD: &str = "sleep 601";

/// Ends numawise so, once the program has its children.
fn end(of: &Installed, words: &[&str], program: &Path, end: End) -> u32 {
    let mut command = of.command(words, program);
    let has_begun = |child: &Child| {
        wait_until("the program waits", || !of.place.processes_with(LAST_CHILD).is_empty());
        assert!(!Installed::folders(child.id()).is_empty(), "it has a folder while the program runs");
        child.id()
    };
    if let End::Terminal = end {
        let (terminal, mut child) = Terminal::start(&mut command);
        let pid = has_begun(&child);
        drop(terminal);
        ended(&mut child, "without its terminal");
        return pid;
    }
    let mut child = command.process_group(0).spawn().unwrap();
    let pid = has_begun(&child);
    match end {
        End::Signal(signal) => send(pid as i32, signal),
        End::SignalOfGroup(signal) => send(-(pid as i32), signal),
        End::Terminal => {}
    }
    ended(&mut child, "after a signal");
    pid
}

#[test]
fn nothing_that_a_watched_program_has_started_outlives_us() {
    let of = Installed::new();
    let mut count = 0;
    for (kind, (how, child)) in CHILDREN.into_iter().enumerate() {
        let program = of.place.program_with(&format!("{child}\n{LAST_CHILD}"));
        for (turn, words) in WATCHED.into_iter().enumerate() {
            let is_deaf = child.contains("TERM");
            let ways = [kind + 2 * turn, kind + 2 * turn + 1].map(|way| ENDS[way % ENDS.len()]);
            for (name, way) in if is_deaf { [ENDS[0], ENDS[2]] } else { ways } {
                let pid = end(&of, words, &program, way);
                of.nothing_is_left(pid, &format!("{words:?}, {how}, {name}"));
                count += 1;
            }
        }
    }
    eprintln!("watched: {count} ends, nothing was left");
}

#[test]
fn what_was_measured_until_we_were_asked_to_end_is_kept() {
    let of = Installed::new();
    let program = of.place.program_with(&format!("sleep 600 &\n{LAST_CHILD}"));
    for words in WATCHED {
        let words = [words, &["--output", RECORD]].concat();
        let pid = end(&of, &words, &program, End::Signal(libc::SIGTERM));
        of.nothing_is_left(pid, &format!("{words:?}"));
        let report = of.place.numawise(&["report", RECORD]).stdout(Stdio::null()).status().unwrap();
        assert!(report.success(), "{words:?}");
        std::fs::remove_file(of.place.record()).unwrap();
    }
}

#[test]
fn what_a_watched_program_leaves_when_it_ends_by_itself_goes_on() {
    let of = Installed::new();
    let program = of.place.program_with("sleep 600 > /dev/null 2>&1 &");
    for words in WATCHED {
        let mut child = of.command(words, &program).spawn().unwrap();
        assert_eq!(ended(&mut child, "a program that ends").code(), Some(0), "{words:?}");
        let left = of.children();
        assert_eq!(Installed::folders(child.id()), Vec::<String>::new(), "{words:?}");
        left.iter().for_each(|pid| send(*pid, libc::SIGKILL));
        of.nothing_is_left(child.id(), &format!("{words:?}"));
    }
}
