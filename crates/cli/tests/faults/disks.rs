//! Full disks of many sizes, and limits on the size of files: each is told by the name of the file and the cause, loses
//! nothing, and goes on once there is room.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Place, RECORD};

/// The first so many disks meet each stage.
const FEW_DISKS: usize = 6;
/// KiB of disks, and what the program writes to them in each run. The record takes about 70, with its journal 90; the report 650; below
/// 256 nothing is begun.
const DISKS: [(u32, u32); 20] = [
    (4, 0),
    (260, 280),
    (300, 150),
    (320, 40),
    (320, 24),
    (320, 0),
    (340, 16),
    (400, 12),
    (700, 1),
    (16, 0),
    (64, 0),
    (128, 0),
    (252, 0),
    (300, 60),
    (320, 30),
    (340, 20),
    (360, 13),
    (264, 0),
    (512, 0),
    (640, 0),
];
/// Blocks of 512 bytes that a file may have.
const LIMITS: [u32; 3] = [1, 511, 1200];
/// Sets a limit of 40,000 bytes on us in the fifth run and after it, which is less than the record is long by then.
const LATER: &str = "[ -n \"$MORE\" ] || [ $(wc -l < \"${0%/*}/log\") -lt 9 ] || \
     for pid in $(pgrep -f \"^[^ ]*numawise check.*$0\"); do prlimit --fsize=40000:unlimited --pid $pid; done";

/// Left where not even the way back can be written; the next one that opens the record consumes it.
const JOURNAL: &str = "a.nw-journal";

/// What was in the way.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Nothing is begun.
    Refused,
    /// The first run is over, and nothing is recorded.
    Making,
    /// Something is.
    Trials,
    Report,
    /// It fitted.
    None,
}

/// One command twice: with little room, and again with enough.
struct Twice {
    place: Place,
    output: Output,
}

impl Twice {
    /// `before` and `between` are lines of a shell that is root in a name space of its own; the command is `"$@"`. `each` is a line of
    /// the program.
    fn run(before: &str, between: &str, each: &str) -> Option<Twice> {
        let place = Place::new();
        let program = place.program_with(each);
        let out = place.work().with_file_name("out");
        std::fs::create_dir(&out).unwrap();
        let script = format!(
            "work=$1 out=$2; shift 2\n{before}\ncd \"$work\" || exit 77\n\
             (\"$@\") > $out/stdout1 2> $out/stderr1; echo $? > $out/status1; cp -a . $out/first; cp ../log $out/log1\n\
             {between}\n\
             (\"$@\") > $out/stdout2 2> $out/stderr2; echo $? > $out/status2; cp -a . $out/second; exit 0"
        );
        let mut command = Command::new("unshare");
        // SAFETY: a system call without arguments that cannot fail.
        let root = unsafe { libc::geteuid() } == 0;
        command.args(if root { ["-m", "--"] } else { ["-Urm", "--"] }).args(["sh", "-c", &script, "sh"]);
        command.args([place.work(), &out]).arg(env!("CARGO_BIN_EXE_numawise"));
        command
            .args(["check", "--budget", "200ms", "--repeats", "8", "-o", RECORD, "--html", "r.html", "--"])
            .arg(program);
        place.settle(&mut command);
        let output = command.stderr(std::process::Stdio::piped()).output();
        match output {
            Ok(output) if output.status.success() => Some(Twice { place, output }),
            other => {
                // Not through the harness, which keeps what a test prints.
                let _ = writeln!(
                    std::io::stderr(),
                    "SKIPPED: this test mounts a file system, as root or in a user name space: {other:?}"
                );
                None
            }
        }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.place.work().with_file_name("out").join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.out(name)).unwrap()
    }

    /// Checks everything that holds at any size, and tells what was in the way.
    fn judged(&self, what: &str) -> Stage {
        let (status, told) = (self.text("status1"), self.text("stderr1"));
        let at = |folder: &str| Place::trials_of(&self.out(folder).join(RECORD));
        let (first, second) = (at("first"), at("second"));
        let names = |folder: &str| -> Vec<String> {
            let mut names: Vec<String> = std::fs::read_dir(self.out(folder))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert!(
            names("first").iter().all(|name| [RECORD, JOURNAL, "r.html", "filler"].contains(&name.as_str())),
            "{what}: {:?}",
            names("first")
        );
        assert_eq!(names("second"), [RECORD, "r.html"], "{what}: {}", self.text("stderr2"));
        assert_eq!(self.text("status2").trim(), "0", "{what}: {}", self.text("stderr2"));
        assert!(second >= 17 && second >= first, "{what}: {first}, then {second} trials");
        assert_eq!(self.place.left_running(), Vec::<String>::new(), "{what}; {:?}", self.output);
        assert!(!told.contains("panicked") && !told.contains("signal"), "{what}: {told}");
        let stage = match (status.trim(), first) {
            ("0", _) => Stage::None,
            (_, 0) if self.out("log1").exists() => Stage::Making,
            (_, 0) => Stage::Refused,
            _ if told.contains("r.html") => Stage::Report,
            _ => Stage::Trials,
        };
        if stage != Stage::None {
            assert_eq!(status.trim(), "125", "{what}: {told}");
            let file = if stage == Stage::Report { "r.html" } else { RECORD };
            let cause =
                ["file-size limit", "no space is left", "No space left", "File too large", "uota exceeded"];
            assert!(told.contains(file) && cause.iter().any(|cause| told.contains(cause)), "{what}: {told}");
        }
        if stage == Stage::Report {
            assert!(self.text("stdout1").contains("vs os"), "{what}: the result is printed all the same");
            assert!(!Path::new(&self.out("first/r.html")).exists(), "{what}: no half of a report");
        }
        stage
    }
}

#[test]
fn full_disks_lose_nothing() {
    fill(&DISKS[..FEW_DISKS], 2);
}

#[test]
#[ignore = "timing: none, and twenty disks take minutes"]
fn twenty_full_disks_lose_nothing() {
    fill(&DISKS, 5);
}

/// Fills these disks, of which at least so many are full while trials are kept.
fn fill(disks: &[(u32, u32)], of_trials: usize) {
    let mut stages: BTreeMap<Stage, usize> = BTreeMap::new();
    for (size, each) in disks {
        let mount = format!("mount -t tmpfs -o size={size}k none \"$work\" || exit 77");
        let room = "rm -f filler; mount -o remount,size=64m \"$work\" || exit 77";
        let each = format!("[ -n \"$MORE\" ] || head -c {each}K /dev/zero >> filler 2> /dev/null");
        let Some(twice) = Twice::run(&mount, &format!("{room}; export MORE=1"), &each) else { return };
        *stages.entry(twice.judged(&format!("{size} KiB, {each}"))).or_default() += 1;
    }
    eprintln!(
        "full disks: {}, full in {stages:?}; every record whole and carried to its end with more room",
        disks.len()
    );
    let all = [Stage::Refused, Stage::Making, Stage::Trials, Stage::Report];
    assert!(
        all.iter().all(|stage| stages.contains_key(stage)) && stages[&Stage::Trials] >= of_trials,
        "{stages:?}"
    );
    assert!(!stages.contains_key(&Stage::None), "{stages:?}");
}

#[test]
fn limits_on_the_size_of_files_lose_nothing() {
    let mut stages: BTreeMap<Stage, usize> = BTreeMap::new();
    let limits = LIMITS.map(|blocks| (format!("ulimit -S -f {blocks}"), ""));
    for (before, each) in limits.into_iter().chain([(String::new(), LATER)]) {
        let Some(twice) = Twice::run(&before, "ulimit -S -f unlimited; export MORE=1", each) else { return };
        *stages.entry(twice.judged(&format!("{before} {each}"))).or_default() += 1;
    }
    eprintln!("limits on files: {}, reached in {stages:?}; no signal, every record whole", LIMITS.len() + 1);
    let all = [Stage::Refused, Stage::Trials, Stage::Report];
    assert!(all.iter().all(|stage| stages.contains_key(stage)), "{stages:?}");
}
