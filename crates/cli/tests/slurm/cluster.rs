//! A Slurm of our own for as long as a test lasts: its daemons run here, as whoever runs the test, on ports that are free,
//! and believe that this computer is one or several nodes. It trusts everybody (auth/none), so that no munge is needed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Getting ready takes a second here; a busy machine needs more. It guards against hanging.
const PATIENCE: Duration = Duration::from_secs(300);

const ONE_PARTITION: &str = "PartitionName=all Nodes=ALL Default=YES State=UP";

/// A busy machine answers late: that is no failure of a node, a job or a question.
const UNHURRIED: &str = "MessageTimeout=100\nTCPTimeout=60\nBatchStartTimeout=300\nSlurmdTimeout=3600";

pub struct Cluster {
    folder: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// `None`, having said SKIPPED and why, where there is no Slurm or it does not get ready; fails then with `NUMAWISE_REQUIRE_SLURM=1`.
    pub fn start(task_plugin: &str, nodes: usize, cpus: usize) -> Option<Cluster> {
        Cluster::start_as(ONE_PARTITION, None, task_plugin, nodes, cpus)
    }

    /// The same with partitions as the configuration has them, and what concerns them.
    pub fn start_with(partitions: &str, nodes: usize, cpus: usize) -> Option<Cluster> {
        Cluster::start_as(partitions, None, "task/none", nodes, cpus)
    }

    /// The same with nodes that see what a command of the shell leaves them to see, in a mount namespace of their own.
    pub fn start_behind(
        hides: Option<&str>,
        task_plugin: &str,
        nodes: usize,
        cpus: usize,
    ) -> Option<Cluster> {
        Cluster::start_as(ONE_PARTITION, hides, task_plugin, nodes, cpus)
    }

    fn start_as(
        partitions: &str,
        hides: Option<&str>,
        task_plugin: &str,
        nodes: usize,
        cpus: usize,
    ) -> Option<Cluster> {
        let found = |name: &str| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
            let program = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
            if program.is_none() {
                missing(&format!("{name} of Slurm is not installed"));
            }
            program
        };
        let (controller, daemon) = (found("slurmctld")?, found("slurmd")?);
        found("srun")?;
        let mut cluster = Cluster { folder: tempfile::tempdir().unwrap(), daemons: Vec::new() };
        let folder = cluster.folder.path();
        for place in ["state", "spool"] {
            std::fs::create_dir(folder.join(place)).unwrap();
        }
        std::fs::write(cluster.configuration(), configured(folder, partitions, task_plugin, nodes, cpus))
            .unwrap();
        let begin = |program: &Path, words: &[&str], hides: Option<&str>| {
            let mut command = match hides {
                None => clean(program),
                Some(hides) => {
                    let mut command = clean("unshare");
                    let line = format!("{hides} && exec \"$0\" \"$@\"");
                    command.args([own_mounts(), "sh", "-c", &line]).arg(program);
                    command
                }
            };
            command.arg("-D").arg("-f").arg(cluster.configuration()).args(words);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut daemons = vec![begin(&controller, &[], None)];
        daemons.extend((0..nodes).map(|node| begin(&daemon, &["-N", &format!("n{node}")], hides)));
        cluster.daemons = daemons;
        cluster.wait(nodes).then_some(cluster)
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn wait(&self, nodes: usize) -> bool {
        let states =
            self.states_once(|states| states.iter().filter(|state| *state == "idle").count() == nodes);
        if states.len() == nodes && states.iter().all(|state| state == "idle") {
            return true;
        }
        let log = std::fs::read_to_string(self.folder.path().join("slurmctld.log")).unwrap_or_default();
        let last = log.lines().rfind(|line| line.contains("error")).unwrap_or("nothing in its log");
        missing(&format!("Slurm is installed and did not get ready; nodes: {states:?}; {last}"));
        false
    }

    /// The states of the nodes, when they are as wanted or our patience is at its end.
    fn states_once(&self, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let said =
                self.command("sinfo").args(["--noheader", "--Node", "--format=%N %t"]).output().unwrap();
            // A node has a line for each partition that it is in.
            let text = String::from_utf8_lossy(&said.stdout).into_owned();
            let by_node: BTreeMap<&str, &str> =
                text.lines().filter_map(|line| line.split_once(' ')).collect();
            let states: Vec<String> = by_node.into_values().map(str::to_owned).collect();
            if wanted(&states) || begun.elapsed() > PATIENCE {
                return states;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// A program of Slurm's, or one that starts them.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = clean(program);
        command.env("SLURM_CONF", self.configuration()).current_dir(self.folder.path());
        command
    }

    pub fn output(&self, words: &[&str]) -> Output {
        self.command(words[0]).args(&words[1..]).output().unwrap()
    }

    /// What a program printed on both its outputs, once it succeeded.
    pub fn said(&self, words: &[&str]) -> String {
        let output = self.output(words);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(output.status.success(), "{words:?}: {text}");
        text
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A step that has ended still reports to its daemons, and would try for minutes if they were gone.
        let is_busy = |state: &String| ["alloc", "mix", "comp", "drng"].contains(&state.as_str());
        self.states_once(|states| !states.iter().any(is_busy));
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// What has unshare(1) give a process mounts of its own; root needs no other user for that, as whom slurmd could not start jobs.
pub fn own_mounts() -> &'static str {
    if numawise_linux::calls::process::user() == 0 { "-m" } else { "-rm" }
}

/// Where a test needs Slurm and there is none that works.
fn missing(why: &str) {
    let required = std::env::var_os("NUMAWISE_REQUIRE_SLURM").is_some_and(|value| value == "1");
    assert!(!required, "NUMAWISE_REQUIRE_SLURM=1, and {why}");
    skipped(why);
}

pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Without what a batch job around us, or whoever starts the tests, has set.
fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let steers =
        |name: &str| ["SLURM_", "SBATCH_", "SALLOC_", "OMP_"].iter().any(|begin| name.starts_with(begin));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(steers)) {
        command.env_remove(name);
    }
    command
}

fn configured(folder: &Path, partitions: &str, task_plugin: &str, nodes: usize, cpus: usize) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim().split('.').next().unwrap_or_default().to_owned();
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8_lossy(&user).trim().to_owned();
    // All are held until each has one of its own.
    let ports: Vec<TcpListener> = (0..=nodes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let port = |which: usize| ports[which].local_addr().unwrap().port();
    let folder = folder.display();
    let mut text = format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmUser={user}\nSlurmdUser={user}\n\
         AuthType=auth/none\nCredType=cred/none\nMpiDefault=none\nProctrackType=proctrack/linuxproc\n\
         TaskPlugin={task_plugin}\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSwitchType=switch/none\n\
         ReturnToService=2\nSlurmdParameters=config_overrides\nStateSaveLocation={folder}/state\n\
         SlurmdSpoolDir={folder}/spool/%n\nSlurmctldPidFile={folder}/slurmctld.pid\n\
         SlurmdPidFile={folder}/slurmd.%n.pid\nSlurmctldLogFile={folder}/slurmctld.log\n\
         SlurmdLogFile={folder}/slurmd.%n.log\nJobAcctGatherType=jobacct_gather/none\n\
         AccountingStorageType=accounting_storage/none\n{UNHURRIED}\n{partitions}\n",
        port(0)
    );
    for node in 0..nodes {
        let port = port(node + 1);
        writeln!(text, "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}")
            .unwrap();
    }
    text
}
