//! `numawise rehearse --machine FILE.xml|DESCRIPTION [COMMAND [its options]] -- PROGRAM [ARGS]`: a command of numawise, `check` where
//! none is named, with a program on a machine that is not at hand.
//!
//! A guest of QEMU boots with the nodes, distances and memory timing of that machine and sees all files of this computer, which it
//! cannot change; what numawise writes there (`--output`, `--html`, `--json=`) comes back. Every face of it says that it was rehearsed.
//! Exit status: that of the command; 125 where there was no guest, 130 after Ctrl-C.

mod figures;
mod inner;
mod texts;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use numawise_report::notice;
use numawise_session::rehearse::{
    GuestStream, RehearsalError, RehearsalEvent, RehearsalPlan, RehearsalRequest, RehearsedCommand, setup,
    work_folder,
};
use numawise_units::{Bytes, Nanoseconds};

use super::{Failure, SUCCESS, Status};
use crate::exit::{INTERRUPTED, interruptible};
use crate::streams;
use figures::GivenFigure;
use inner::Inner;

/// Run check, or another command, with a program on a machine that you do not have: emulated, with its nodes and memory timing
#[derive(clap::Args)]
#[command(
    override_usage = "numawise rehearse --machine FILE.xml|DESCRIPTION [OPTIONS] [COMMAND [ITS OPTIONS]] -- PROGRAM [ARGS]...\n       \
                      numawise rehearse --setup",
    after_help = "Ratios between placements mean something, times do not. Manual: docs/user/rehearse.md"
)]
pub struct Arguments {
    /// The machine: an hwloc XML file (lstopo machine.xml), or a synthetic description such as 'pack:2 [numa] core:8 pu:1'
    #[arg(long, value_name = "FILE.xml|DESCRIPTION", required_unless_present = "setup")]
    machine: Option<String>,
    /// What numawise machine measure --output FILE, or Intel MLC, found on that machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["latency", "bandwidth"])]
    profile: Option<std::path::PathBuf>,
    /// Nanoseconds to local memory, to the next distance, ...; NODE:NS,... for the memory of one node
    #[arg(long, value_name = "[NODE:]NS,NS,...")]
    latency: Vec<GivenFigure>,
    /// GB/s from local memory, from the next distance, ...; NODE:GB,... for the memory of one node
    #[arg(long, value_name = "[NODE:]GB,GB,...")]
    bandwidth: Vec<GivenFigure>,
    /// At most so many cores in each node; a core then has the bandwidth of those that it stands for
    #[arg(long, value_name = "N")]
    cores_per_node: Option<u32>,
    /// Memory takes so many times longer than on that machine, so that what this computer needs for the emulation weighs little
    /// [default: 25 for each GB/s of its fastest memory, at least 1000]
    #[arg(long, value_name = "N")]
    slowdown: Option<f64>,
    /// Memory of the emulated machine [default: 2 GiB, or what its nodes need]
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<Bytes>,
    /// The command is told to end after this time; what it has by then comes back
    #[arg(long, value_name = "TIME", default_value = "10m")]
    timeout: Nanoseconds,
    /// Show the emulated machine and what would run, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// Show what guests need of this computer, and how to install what is missing
    #[arg(long, exclusive = true)]
    setup: bool,
    /// A command of numawise with its options, then -- and the program; or the program alone, for check
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    words: Vec<OsString>,
}

/// `commands`: all of numawise, to read those for the guest.
pub fn run(arguments: Arguments, commands: clap::Command) -> Result<Status, Failure> {
    let work = work_folder().map_err(failure)?;
    if arguments.setup {
        return texts::setup(&setup(&work), &work);
    }
    let inner = match Inner::of(&arguments.words, commands) {
        Ok(inner) => inner,
        Err(inner::Unusable::Usage(error)) => return Ok(crate::exit::usage(*error)),
        Err(inner::Unusable::Words(problem)) => return Err(Failure::new(problem)),
    };
    let (dry_run, limit) = (arguments.dry_run, Duration::from(arguments.timeout));
    let plan = RehearsalPlan::new(request(arguments, &work)?).map_err(failure)?;
    for line in texts::before(&plan, limit) {
        streams::say(&line);
    }
    for of_plan in plan.notices() {
        streams::say(&format!("note: {}", notice::text(of_plan)));
    }
    let command = command(inner)?;
    if dry_run {
        streams::print(format!("{}\n", texts::line(&command)))?;
        return Ok(SUCCESS);
    }
    let stop = interruptible()?;
    let mut unwritten = None;
    let mut show = |event: RehearsalEvent<'_>| match event {
        RehearsalEvent::Printed(GuestStream::Out, bytes) => {
            unwritten = unwritten.take().or(streams::print(bytes).err());
        }
        RehearsalEvent::Printed(GuestStream::Err, bytes) => {
            streams::say_text(&String::from_utf8_lossy(bytes))
        }
        RehearsalEvent::Waits => streams::say("another rehearsal runs; this one waits for it"),
        RehearsalEvent::ToldToEnd { out_of_time: true } => {
            streams::say(&format!(
                "--timeout: {} s have passed; the command is told to end",
                limit.as_secs()
            ));
        }
        RehearsalEvent::ToldToEnd { out_of_time: false } => {
            streams::say("the command in the guest is told to end; Ctrl-C again ends the guest at once");
        }
    };
    let ended = plan.run(&command, &mut show, &stop).map_err(failure)?;
    if let Some(unwritten) = unwritten {
        return Err(unwritten.into());
    }
    let interrupted = stop.load(std::sync::atomic::Ordering::Relaxed);
    for line in texts::after(&plan, &ended, &command, interrupted) {
        streams::say(&line);
    }
    Ok(if interrupted { INTERRUPTED } else { ended.status.clamp(0, 255) as Status })
}

fn request(typed: Arguments, work: &Path) -> Result<RehearsalRequest, Failure> {
    let name = typed.machine.unwrap_or_default();
    let machine = numawise_machine::from_input(&name)?;
    let profile = typed.profile.map(|path| {
        numawise_profiles::read_profile(&path).map(|profile| (path.display().to_string(), profile))
    });
    let limit = Duration::from(typed.timeout);
    if limit.is_zero() {
        return Err(Failure::new("--timeout 0: expected a span of time, such as 10m"));
    }
    Ok(RehearsalRequest {
        name,
        machine,
        profile: profile.transpose()?,
        figures: figures::given(&typed.latency, &typed.bandwidth)?,
        slowdown: typed.slowdown,
        memory: typed.memory_limit,
        cores_per_node: typed.cores_per_node,
        limit,
        work: work.to_owned(),
    })
}

fn command(inner: Inner) -> Result<RehearsedCommand, Failure> {
    let directory = std::env::current_dir().map_err(|e| {
        Failure::new(format!("the current folder is not known: {e}; change to one that exists"))
    })?;
    let Inner { words, outputs, beside } = inner;
    let words = [crate::files::own_file()].into_iter().chain(words).collect();
    Ok(RehearsedCommand { words, beside, directory, environment: std::env::vars_os().collect(), outputs })
}

/// With what to type.
fn failure(error: RehearsalError) -> Failure {
    let (option, advice) = texts::about(&error);
    if matches!(error, RehearsalError::Interrupted) {
        return Failure::with_status(INTERRUPTED, error.to_string());
    }
    let mut message = Failure::from(error).message().to_owned();
    if let Some(option) = option {
        message.insert_str(0, &format!("{option}: "));
    }
    if let Some(advice) = advice {
        message.push_str("; ");
        message.push_str(&advice);
    }
    Failure::new(message)
}
