use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use numawise_facts::{Argument, Exit, MemoryMode, MemoryPlan, PageSize, Reading, Strategy, ThreadBinding};
use numawise_linux::calls::affinity;
use numawise_units::{CpuSet, NodeSet, TaskId};

use super::*;

/// Nothing that is waited for takes so long.
const PATIENCE: Duration = Duration::from_secs(300);

fn spec(words: &[&str]) -> RunSpec {
    RunSpec { command: words.iter().map(|word| Argument::from(*word)).collect(), directory: PathBuf::new() }
}

fn shell(script: &str) -> RunSpec {
    spec(&["/bin/sh", "-c", script])
}

/// Tasks with one thread each on all CPUs that we have.
fn free(tasks: u32) -> Placement {
    let cpus = affinity::own().unwrap();
    let task = |number| TaskPlacement {
        task: TaskId(number),
        cpus: cpus.clone(),
        threads: vec![cpus.clone()],
        memory: MemoryPlan::default_policy(),
        gpus: Vec::new(),
    };
    Placement {
        strategy: Strategy::None,
        binding: ThreadBinding::Free,
        tasks: (0..tasks).map(task).collect(),
        warnings: vec![],
    }
}

fn run(spec: &RunSpec, placement: &Placement) -> Result<Finished, LaunchError> {
    let mut job = Job::spawn(spec, placement, Io::Capture)?;
    Ok(job.wait_timeout(PATIENCE)?.expect("the job ends in time"))
}

/// A task begins on the first CPUs and has all of its own when the program runs; CPUs that are none of its own change nothing.
#[test]
fn tasks_begin_on_the_first_cpus_and_get_all_of_theirs() {
    let all = affinity::own().unwrap();
    let foreign = CpuSet::single(numawise_units::CpuId(all.iter().last().unwrap().0 + 1));
    let masks = shell("sed -n 's/Cpus_allowed_list:[[:space:]]*//p' /proc/self/status");
    for first in all.iter().map(CpuSet::single).chain([all.clone(), foreign, CpuSet::new()]) {
        let first_cpus = [first];
        let start = Start { first_cpus: &first_cpus, ..Start::from(Io::Capture) };
        let finished = Job::spawn(&masks, &free(2), start).unwrap().wait().unwrap();
        for task in finished.tasks {
            assert_eq!(task.output.text.trim(), all.to_string(), "begun on {}", first_cpus[0]);
        }
    }
}

fn output_of(spec: &RunSpec, placement: &Placement) -> String {
    run(spec, placement).unwrap().tasks[0].output.text.clone()
}

/// A folder of our own that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("numawise-launch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn gone_soon(pid: i32) -> bool {
    let begin = Instant::now();
    while alive(pid) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
    !alive(pid)
}

#[test]
fn both_outputs_are_kept_in_order_and_the_status_is_told() {
    let finished = run(&shell("echo one; echo two >&2; echo three; exit 7"), &free(1)).unwrap();
    let task = &finished.tasks[0];
    assert_eq!(task.output.text, "one\ntwo\nthree\n");
    assert!(!task.output.truncated());
    assert_eq!(task.exit, Exit::Code(7));
}

#[test]
fn a_signal_is_told_from_a_status() {
    let finished = run(&shell("kill -SEGV $$"), &free(1)).unwrap();
    assert_eq!(finished.tasks[0].exit, Exit::Signal(libc::SIGSEGV));
}

#[test]
fn wall_and_cpu_time_are_those_of_the_task() {
    let finished =
        run(&shell("sleep 0.2; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"), &free(1)).unwrap();
    let task = &finished.tasks[0];
    assert!(task.wall >= Nanoseconds(200_000_000), "{}", task.wall);
    assert!(task.usage.user.measured().is_some_and(|user| *user > Nanoseconds(0)));
    assert!(task.usage.cpu_time().measured().is_some_and(|used| *used < task.wall));
    let counted = |reading: &Reading<u64>| reading.measured().is_some_and(|count| *count > 0);
    assert!(counted(&task.usage.minor_faults) && counted(&task.usage.voluntary_switches));
}

#[test]
fn a_program_without_memory_of_its_own_has_no_peak() {
    // The kernel counts our own peak in, so for a tiny program there is nothing to tell; never a wrong figure.
    let mut ballast = vec![1u8; 64 << 20];
    ballast.iter_mut().step_by(4096).for_each(|byte| *byte += 1);
    let finished = run(&spec(&["/bin/true"]), &free(1)).unwrap();
    let reason = finished.tasks[0].usage.peak_memory.reason().expect("unavailable").to_string();
    assert!(reason.contains("own peak"), "{reason} {}", ballast.len());
}

#[test]
fn threads_are_filled_in_and_given_to_openmp() {
    let mut plan = free(1);
    plan.tasks[0].threads = vec![plan.tasks[0].cpus.clone(); 3];
    let script = "echo $OMP_NUM_THREADS {threads} ${OMP_PLACES-none} $0";
    assert_eq!(output_of(&spec(&["/bin/sh", "-c", script, "n={threads}"]), &plan), "3 3 none n=3\n");
    plan.binding = ThreadBinding::Pinned;
    plan.tasks[0].threads = vec!["0".parse().unwrap(), "0".parse().unwrap()];
    plan.tasks[0].cpus = "0".parse().unwrap();
    assert_eq!(
        output_of(&shell("echo $OMP_NUM_THREADS $OMP_PLACES $OMP_PROC_BIND"), &plan),
        "2 {0},{0} close\n"
    );
}

#[test]
fn every_task_gets_its_own_mask() {
    let ours = affinity::own().unwrap();
    let (first, last) = (ours.first().unwrap(), ours.last().unwrap());
    let mut plan = free(2);
    plan.strategy = Strategy::Explicit;
    plan.tasks[0].cpus = CpuSet::single(first);
    plan.tasks[1].cpus = CpuSet::single(last);
    let finished = run(&shell("grep Cpus_allowed_list /proc/self/status"), &plan).unwrap();
    for (task, cpu) in finished.tasks.iter().zip([first, last]) {
        assert_eq!(task.output.text, format!("Cpus_allowed_list:\t{cpu}\n"));
    }
    assert_eq!(finished.tasks[1].task, TaskId(1));
    assert_eq!(affinity::own().unwrap(), ours, "our own mask is as it was");
}

#[test]
fn the_kernel_reports_the_policy() {
    for (mode, nodes, word) in [
        (MemoryMode::Bind, "0", "bind:0"),
        (MemoryMode::Interleave, "0", "interleave:0"),
        (MemoryMode::Preferred, "0", "prefer:0"),
        (MemoryMode::Local, "", "local"),
        (MemoryMode::Default, "", "default"),
    ] {
        let mut plan = free(1);
        plan.tasks[0].memory = MemoryPlan::new(mode, nodes.parse().unwrap());
        let maps = output_of(&spec(&["/bin/cat", "/proc/self/numa_maps"]), &plan);
        assert!(maps.lines().any(|line| line.contains("heap") && line.contains(word)), "{mode}: {maps}");
    }
}

#[test]
fn nodes_that_are_not_there_are_refused_with_advice() {
    let mut plan = free(2);
    plan.tasks[1].memory = MemoryPlan::new(MemoryMode::Bind, "900".parse::<NodeSet>().unwrap());
    let error = Job::spawn(&spec(&["/bin/true"]), &plan, Io::Capture).unwrap_err();
    assert!(matches!(error, LaunchError::MemoryPolicy { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("set_mempolicy(bind:900)") && text.contains("not all online"), "{text}");
}

#[test]
fn cpus_that_are_not_there_are_refused() {
    let mut plan = free(1);
    plan.tasks[0].cpus = "8191".parse().unwrap();
    let error = Job::spawn(&spec(&["/bin/true"]), &plan, Io::Capture).unwrap_err();
    assert!(matches!(error, LaunchError::Affinity { .. }), "{error}");
}

#[test]
fn what_is_not_there_and_what_cannot_be_executed_are_told_apart() {
    let folder = Folder::new("programs");
    let plain = folder.file("plain", "#!/bin/sh\n", 0o644);
    let lost = folder.file("lost", "#!/no/such/interpreter -x\necho\n", 0o755);
    let rubbish = folder.file("rubbish", "\x7fELF but not really", 0o755);
    let directory = folder.0.to_str().unwrap().to_owned();
    let below = format!("{plain}/below");
    let cases = [
        ("no-such-program-anywhere", true, "not found in the folders of PATH"),
        ("/no/such/program", true, "not found (no such file)"),
        (below.as_str(), true, "not found"),
        ("", true, "the program's name is empty (\"\"): not found; an empty variable"),
        (plain.as_str(), false, "no execute permission; try: chmod +x"),
        (lost.as_str(), false, "asks for the interpreter /no/such/interpreter, which is not there"),
        (directory.as_str(), false, "it is a directory"),
        (rubbish.as_str(), false, "cannot be executed"),
    ];
    for (program, absent, part) in cases {
        let error = Job::spawn(&spec(&[program]), &free(1), Io::Capture).unwrap_err();
        assert_eq!(
            (error.is_not_found(), error.is_not_executable()),
            (absent, !absent),
            "{program}: {error}"
        );
        assert!(error.to_string().contains(part), "{program}: {error}");
    }
}

#[test]
fn a_script_without_a_first_line_runs_in_the_shell_as_execvp_does() {
    let folder = Folder::new("script");
    let script = folder.file("script", "echo hello from $1\n", 0o755);
    assert_eq!(output_of(&spec(&[&script, "here"]), &free(1)), "hello from here\n");
}

#[test]
fn the_directory_is_entered_or_named() {
    let folder = Folder::new("directory");
    folder.file("here", "#!/bin/sh\npwd -P\n", 0o755);
    let mut spec = spec(&["./here"]);
    spec.directory = folder.0.clone();
    let real = folder.0.canonicalize().unwrap();
    assert_eq!(Path::new(output_of(&spec, &free(1)).trim_end()), real);
    spec.directory = folder.0.join("missing");
    let error = Job::spawn(&spec, &free(1), Io::Capture).unwrap_err();
    assert!(
        matches!(error, LaunchError::Directory { .. }) && error.to_string().contains("missing"),
        "{error}"
    );
}

#[test]
fn nothing_to_run_is_an_error() {
    assert!(matches!(Job::spawn(&spec(&[]), &free(1), Io::Capture), Err(LaunchError::EmptyCommand)));
    assert!(matches!(Job::spawn(&shell("true"), &free(0), Io::Capture), Err(LaunchError::NoTask)));
    let zero = Job::spawn(&spec(&["/bin/echo", "a\0b"]), &free(1), Io::Capture);
    assert!(matches!(zero, Err(LaunchError::ZeroByte(_))));
}

#[test]
fn a_torrent_of_output_never_blocks_the_program() {
    let finished = run(&shell("head -c 30000000 /dev/zero | tr '\\0' x; echo; echo last"), &free(1)).unwrap();
    let output = &finished.tasks[0].output;
    assert!(output.text.ends_with("x\nlast\n"));
    assert_eq!(output.text.len() as u64 + output.dropped, 30_000_006);
    assert!(output.truncated());
}

#[test]
fn a_process_left_behind_does_not_hold_the_job() {
    let finished = run(&shell("sleep 600 & echo $!"), &free(1)).unwrap();
    let left: i32 = finished.tasks[0].output.text.trim().parse().unwrap();
    assert!(alive(left), "what the program leaves on purpose is not ours to end");
    // SAFETY: the process is a grandchild that this test started.
    unsafe { libc::kill(left, libc::SIGKILL) };
}

#[test]
fn nothing_is_read_from_our_terminal() {
    assert_eq!(output_of(&spec(&["/bin/cat"]), &free(1)), "");
}

/// Waits until there is a file for each task.
fn wait_for(file: &str, tasks: u32) {
    let begin = Instant::now();
    while (0..tasks).any(|task| !Path::new(&format!("{file}.{task}")).exists()) {
        assert!(begin.elapsed() < PATIENCE, "{file}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn tasks_begin_together_and_are_seen_while_they_run() {
    let folder = Folder::new("together");
    let go = folder.0.join("go");
    let script = "until [ -e $0 ]; do sleep 0.01; done";
    let spec = spec(&["/bin/sh", "-c", script, go.to_str().unwrap()]);
    let mut job = Job::spawn(&spec, &free(4), Io::Capture).unwrap();
    let begun = Instant::now();
    assert_eq!(job.pids().len(), 4);
    assert!(job.pids().iter().all(|pid| alive(pid.0)));
    assert!(job.try_wait().unwrap().is_none());
    let ran = begun.elapsed();
    fs::write(go, "").unwrap();
    let finished = job.wait().unwrap();
    assert_eq!(finished.tasks.len(), 4);
    assert!(finished.longest() >= Nanoseconds::from(ran));
    assert_eq!(job.try_wait().unwrap(), Some(finished), "asking again gives the same");
}

#[test]
fn a_killed_job_ends_with_all_that_it_started() {
    let folder = Folder::new("killed");
    let ready = folder.0.join("ready").display().to_string();
    let script = "sleep 600 & echo $!; touch $0.{task}; wait";
    let mut job = Job::spawn(&spec(&["/bin/sh", "-c", script, &ready]), &free(2), Io::Capture).unwrap();
    wait_for(&ready, 2);
    job.kill(PATIENCE);
    let finished = job.try_wait().unwrap().expect("ended");
    for task in &finished.tasks {
        assert_eq!(task.exit, Exit::Signal(libc::SIGTERM));
        assert!(gone_soon(task.output.text.trim().parse().unwrap()));
    }
}

#[test]
fn a_signal_reaches_what_the_tasks_started_and_is_not_the_end() {
    let script = "exec 2>/dev/null; trap 'echo heard' USR1; \
                  (trap 'echo below; exit 0' USR1; touch $0.{task}; while :; do sleep 0.05; done) & \
                  wait; wait; echo on";
    let folder = Folder::new("signal");
    let ready = folder.file("ready", "", 0o600);
    let mut job = Job::spawn(&spec(&["/bin/sh", "-c", script, &ready]), &free(2), Io::Capture).unwrap();
    wait_for(&ready, 2);
    job.signal(libc::SIGUSR1);
    for task in &job.wait_timeout(PATIENCE).unwrap().expect("the job ends in time").tasks {
        let mut lines: Vec<&str> = task.output.text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["below", "heard", "on"]);
        assert_eq!(task.exit, Exit::Code(0));
    }
    job.signal(libc::SIGKILL); // nobody is left to get it
}

#[test]
fn a_job_may_be_ended_by_any_signal() {
    let mut job = Job::spawn(&spec(&["/bin/sleep", "60"]), &free(2), Io::Inherit).unwrap();
    // None that a shell has ignored for what runs in its background.
    job.end(libc::SIGUSR1, PATIENCE);
    let exits: Vec<Exit> = job.wait().unwrap().tasks.iter().map(|task| task.exit).collect();
    assert_eq!(exits, [Exit::Signal(libc::SIGUSR1); 2]);
}

#[test]
fn a_job_that_ignores_sigterm_is_killed_after_the_grace() {
    let folder = Folder::new("deaf");
    let ready = folder.0.join("ready").display().to_string();
    let script = "trap '' TERM; touch $0.{task}; while :; do sleep 0.05; done";
    let mut job = Job::spawn(&spec(&["/bin/sh", "-c", script, &ready]), &free(1), Io::Capture).unwrap();
    wait_for(&ready, 1);
    job.kill(Duration::from_millis(100));
    assert_eq!(job.wait().unwrap().tasks[0].exit, Exit::Signal(libc::SIGKILL));
}

#[test]
fn dropping_a_job_ends_it() {
    let job = Job::spawn(&spec(&["/bin/sleep", "60"]), &free(1), Io::Inherit).unwrap();
    let pid = job.pids()[0].0;
    drop(job);
    assert!(gone_soon(pid));
}

#[test]
fn a_job_outlives_the_thread_that_started_it() {
    let start = || Job::spawn(&spec(&["/bin/sleep", "0.3"]), &free(1), Io::Capture).unwrap();
    let mut job = std::thread::spawn(start).join().unwrap();
    let finished = job.wait_timeout(PATIENCE).unwrap().expect("ended");
    assert_eq!(finished.tasks[0].exit, Exit::Code(0));
}

#[test]
fn huge_pages_are_switched_off_for_who_wants_small_ones() {
    let enabled =
        |plan: &Placement| output_of(&shell("grep THP_enabled /proc/self/status || echo unknown"), plan);
    let mut plan = free(1);
    if enabled(&plan).contains("unknown") {
        eprintln!("SKIPPED: this kernel does not tell (Linux 5.0 does)");
        return;
    }
    plan.tasks[0].memory.pages = PageSize::Small;
    assert_eq!(enabled(&plan), "THP_enabled:\t0\n");
    plan.tasks[0].memory.pages = PageSize::Huge;
    assert_eq!(output_of(&shell("echo ${GLIBC_TUNABLES##*:}"), &plan), "glibc.malloc.hugetlb=2\n");
}

#[test]
fn balancing_goes_with_the_policy() {
    let mut plan = free(1);
    plan.tasks[0].memory =
        MemoryPlan { balancing: true, ..MemoryPlan::new(MemoryMode::Bind, "0".parse().unwrap()) };
    match run(&spec(&["/bin/cat", "/proc/self/numa_maps"]), &plan) {
        Ok(finished) => {
            let maps = &finished.tasks[0].output.text;
            assert!(maps.contains("bind=balancing:0") || maps.contains("bind:0"), "{maps}");
        }
        Err(error) => assert!(error.to_string().contains("MPOL_F_NUMA_BALANCING"), "{error}"),
    }
    // The kernel takes it with few policies; the refusal says why.
    plan.tasks[0].memory.mode = MemoryMode::Interleave;
    let error = run(&spec(&["/bin/true"]), &plan).unwrap_err().to_string();
    assert!(error.contains("MPOL_F_NUMA_BALANCING"), "{error}");
}

#[test]
fn each_of_several_tasks_knows_its_number() {
    let finished = run(&shell("echo {task} $NUMAWISE_TASK $NUMAWISE_TASKS"), &free(2)).unwrap();
    let told: Vec<&str> = finished.tasks.iter().map(|task| task.output.text.as_str()).collect();
    assert_eq!(told, ["0 0 2\n", "1 1 2\n"]);
    assert_eq!(output_of(&shell("echo {task} ${NUMAWISE_TASKS-one}"), &free(1)), "0 one\n");
}
