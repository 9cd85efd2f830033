use super::*;
use crate::fixture::{PROCESS, Process, Tree};

const KERNEL: u32 = 0x0020_0040;
/// We, in these trees: 50 is a shell, 60 what it has started: us.
const OWN: Pid = Pid(60);

/// A machine with a shell, ourselves, a server of another user, two ranks of a launcher and what is no program.
fn machine() -> Tree {
    let tree = Tree::new();
    let rank = |pid, rank| Process {
        pid,
        parent: 201,
        name: "stencil",
        command: "/opt/bin/stencil\0--grid\x00512\0",
        environment: if rank == 0 { "PMI_RANK=0\0" } else { "PMI_RANK=1\0" },
        ..PROCESS
    };
    for process in [
        Process { pid: 1, parent: 0, name: "init", command: "/sbin/init\0", user: 0, ..PROCESS },
        Process { pid: 2, parent: 0, name: "kthreadd", command: "", user: 0, flags: KERNEL, ..PROCESS },
        Process { pid: 3, parent: 2, name: "stencil", command: "", user: 0, flags: KERNEL, ..PROCESS },
        Process { pid: 50, name: "bash", command: "-bash\0", ..PROCESS },
        Process { pid: 60, parent: 50, name: "numawise", command: "numawise\0where\0stencil\0", ..PROCESS },
        Process { pid: 70, name: "bash", command: "-bash\0", user: 1001, ..PROCESS },
        Process { pid: 80, name: "stencil", state: 'Z', command: "", ..PROCESS },
        Process { pid: 200, parent: 50, name: "mpiexec", command: "mpiexec\0-n\x002\0stencil\0", ..PROCESS },
        Process { pid: 201, parent: 200, name: "hydra_pmi_proxy", command: "hydra_pmi_proxy\0", ..PROCESS },
        rank(300, 0),
        rank(301, 1),
    ] {
        tree.process(&process);
    }
    tree
}

fn found(tree: &Tree, wanted: ProcessRequest) -> Vec<i32> {
    let found =
        find_as(&tree.roots(), &wanted, Some(OWN)).unwrap_or_else(|error| panic!("{wanted:?}: {error}"));
    found.into_iter().map(|pid| pid.0).collect()
}

fn name(name: &str) -> ProcessRequest {
    ProcessRequest::Name(name.to_owned())
}

fn job(id: &str) -> ProcessRequest {
    ProcessRequest::Job(id.to_owned())
}

fn error(tree: &Tree, wanted: ProcessRequest) -> String {
    match find_as(&tree.roots(), &wanted, Some(OWN)) {
        Ok(found) => panic!("{wanted:?} gave {found:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn names_match_exactly_and_never_ourselves_or_what_started_us() {
    let tree = machine();
    assert_eq!(found(&tree, name("stencil")), [300, 301]);
    // The shell that started us is not meant, another user's is.
    assert_eq!(found(&tree, name("bash")), [70]);
    assert_eq!(found(&tree, name("/opt/bin/stencil")), [300, 301]);
    for none in ["numawise", "stenci", "Stencil", "kthreadd", "", "/usr/bin/stencil", "app"] {
        error(&tree, name(none));
    }
    let text = error(&tree, name("init"));
    assert!(
        text.contains("but what started this command, process 1; to see that, give its number"),
        "{text}"
    );
    assert!(!error(&tree, name("numawise")).contains("process 60"), "ourselves are of no interest");
}

#[test]
fn names_longer_than_the_kernels_are_found_by_the_command_or_the_file() {
    let tree = machine();
    let long = "a_solver_with_a_long_name";
    tree.process(&Process {
        pid: 400,
        name: &long[..15],
        command: "./a_solver_with_a_long_name\0",
        ..PROCESS
    });
    tree.process(&Process { pid: 401, name: &long[..15], command: "title of its own\0", ..PROCESS });
    std::os::unix::fs::symlink(format!("/opt/{long} (deleted)"), tree.path().join("proc/401/exe")).unwrap();
    assert_eq!(found(&tree, name(long)), [400, 401]);
    assert_eq!(found(&tree, name(&format!("/opt/{long}"))), [401]);
    // The kernel's name is a name as well.
    assert_eq!(found(&tree, name(&long[..15])), [400, 401]);
}

#[test]
fn a_name_that_matches_nothing_suggests_what_comes_near() {
    let tree = machine();
    let text = error(&tree, name("STENC"));
    assert!(text.contains("no process is called 'STENC' (11 processes examined)"), "{text}");
    assert!(text.contains("did you mean") && text.contains("301  /opt/bin/stencil --grid 512"), "{text}");
    assert!(!text.contains("numawise where"), "{text}");
    for pid in 500..520 {
        tree.process(&Process { pid, command: "/opt/bin/stencil\0", name: "x", ..PROCESS });
    }
    let text = error(&tree, name("tenci"));
    assert_eq!(text.lines().count(), 1 + FindError::CANDIDATES + 1, "{text}");
    assert!(text.ends_with("and 13 more"), "{text}");
    let text = error(&tree, name("nothing of the kind"));
    assert!(!text.contains("did you mean") && text.contains("ps -e"), "{text}");
}

#[test]
fn processes_of_a_user() {
    let tree = machine();
    assert_eq!(found(&tree, ProcessRequest::User(1001)), [70]);
    // Neither ourselves nor what has ended.
    assert_eq!(found(&tree, ProcessRequest::User(1000)), [50, 200, 201, 300, 301]);
    // Nor threads of the kernel.
    assert_eq!(found(&tree, ProcessRequest::User(0)), [1]);
    let text = error(&tree, ProcessRequest::User(7));
    assert!(text.contains("user 7 ") && text.contains("0, 1000, 1001"), "{text}");
}

#[test]
fn a_process_and_all_that_it_started() {
    let tree = machine();
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(200))), [200, 201, 300, 301]);
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(301))), [301]);
    // All but ourselves; the zombie is below 1.
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(50))), [50, 200, 201, 300, 301]);
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(1))), [1, 50, 70, 200, 201, 300, 301]);
    // Threads of the kernel come only by their own number.
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(2))), [2]);
    assert_eq!(found(&tree, ProcessRequest::Pid(Pid(3))), [3]);
    assert_eq!(found(&tree, ProcessRequest::Pid(Pid(80))), [80]);
    assert_eq!(found(&tree, ProcessRequest::Pid(OWN)), [60]);
}

#[test]
fn a_ring_of_parents_ends() {
    let tree = machine();
    tree.process(&Process { pid: 50, parent: 60, name: "bash", ..PROCESS });
    assert_eq!(found(&tree, ProcessRequest::Descendants(Pid(50))), [50, 200, 201, 300, 301]);
    assert_eq!(found(&tree, name("stencil")), [300, 301]);
}

#[test]
fn numbers_that_are_no_process_say_what_they_are() {
    let tree = machine();
    for wanted in
        [ProcessRequest::Pid(Pid(999)), ProcessRequest::Descendants(Pid(999)), ProcessRequest::Pid(Pid(-1))]
    {
        let text = error(&tree, wanted);
        assert!(text.contains("there is no process") && text.contains("ps -e"), "{text}");
    }
    // A thread's number: its directory is there, but in no listing.
    tree.write("proc/302/status", "Name:\tstencil\nTgid:\t301\n");
    let text = error(&tree, ProcessRequest::Descendants(Pid(302)));
    assert!(text.contains("302 is a thread of process 301") && text.contains("give 301"), "{text}");
}

#[test]
fn jobs_are_known_by_the_names_that_people_use() {
    let tree = machine();
    for (pid, environment, ids) in [
        (401, "SLURM_JOB_ID=71\0SLURM_STEP_ID=2\0", &["71", "71.2"][..]),
        (402, "SLURM_JOBID=72\0", &["72"]),
        (403, "SLURM_JOB_ID=75\0SLURM_ARRAY_JOB_ID=73\0SLURM_ARRAY_TASK_ID=4\0", &["75", "73", "73_4"]),
        (404, "FLUX_JOB_ID=ƒ2hD\0", &["ƒ2hD"]),
        (405, "PBS_JOBID=81[3].server.site\0", &["81[3]", "81[3].server.site"]),
        (406, "LSB_JOBID=91\0LSB_JOBINDEX=0\0", &["91"]),
        (407, "LSB_JOBID=92\0LSB_JOBINDEX=5\0", &["92", "92[5]"]),
        (408, "PMIX_NAMESPACE=prterun-host-17@1\0", &["prterun-host-17@1"]),
        (409, "PALS_APID=5b1c\0", &["5b1c"]),
    ] {
        tree.process(&Process { pid, environment, ..PROCESS });
        for id in ids {
            assert_eq!(found(&tree, job(id)), [pid], "{id}");
        }
    }
    // What started us is not what is meant, though it has the same environment.
    for pid in [50, 60] {
        tree.process(&Process { pid, parent: pid - 10, environment: "SLURM_JOB_ID=71\0", ..PROCESS });
    }
    assert_eq!(found(&tree, job("71")), [401]);
    for id in ["7", "710", "", "73_", "SLURM_JOB_ID=71"] {
        let text = error(&tree, job(id));
        assert!(text.contains("Slurm 71,") && text.contains("PBS 81[3],"), "{id}: {text}");
    }
}

#[test]
fn a_launcher_of_ranks_is_a_job_by_its_number() {
    let tree = machine();
    assert_eq!(found(&tree, job("200")), [201, 300, 301]);
    // A process that has started no ranks is none.
    let text = error(&tree, job("70"));
    assert!(text.contains("no job was seen at all"), "{text}");
}

#[test]
fn what_cannot_be_looked_into_is_counted() {
    let tree = machine();
    // A directory in place of a file cannot be read, whoever asks.
    for pid in [300, 301] {
        for name in ["environ", "cmdline"] {
            tree.remove(&format!("proc/{pid}/{name}"));
            tree.write(&format!("proc/{pid}/{name}/x"), "");
        }
    }
    for wanted in [job("4711"), name("nothing")] {
        let text = error(&tree, wanted);
        assert!(text.contains("11 processes examined, 2 of them could not be examined"), "{text}");
    }
    tree.write("proc/70/stat", "broken");
    assert!(error(&tree, job("4711")).contains("11 processes examined, 3 of them"));
}

#[test]
fn without_proc_the_error_says_so() {
    let tree = Tree::new();
    for wanted in [name("x"), job("1"), ProcessRequest::User(0)] {
        let text = error(&tree, wanted);
        assert!(text.contains("/proc is not there"), "{text}");
    }
}
