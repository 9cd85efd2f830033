//! `numawise view app.trace`: the timeline of a trace of any size in a browser, served on this computer only.
//!
//! Exit status: 0 when Ctrl-C or SIGTERM ends it, 125 when the trace cannot be read.

mod browser;
mod server;
mod source;

use std::path::{Path, PathBuf};

use numawise_facts::RankSet;
use numawise_linux::calls::inherited::was_closed;
use numawise_record::{RecordKind, TraceStreams};
use numawise_report::snapshot::view::ShownView;
use numawise_units::Nanoseconds;

use super::report::{self, check_moments, foreign};
use super::snapshot::check_ranks;
use super::{Failure, SUCCESS, Status};
use crate::exit::interruptible;
use crate::streams;
use source::Source;

/// Show the timeline of a trace of any size in a browser
#[derive(clap::Args)]
#[command(
    after_help = "It is served on 127.0.0.1 until Ctrl-C, to whoever has the address that is printed. From another computer: ssh -L PORT:127.0.0.1:PORT HOST, and \
                  the same address there."
)]
pub struct Arguments {
    /// The trace that numawise trace has written, or the OTF2 archive of another tool (traces.otf2)
    #[arg(value_name = "FILE")]
    trace: PathBuf,
    /// Serve on this port [default: a free one]
    #[arg(long, value_name = "N", value_parser = port)]
    port: Option<u16>,
    /// Print the address only
    #[arg(long)]
    no_browser: bool,
    /// Begin the first picture at this time, e.g. 1.2s
    #[arg(long, value_name = "TIME")]
    from: Option<Nanoseconds>,
    /// End the first picture at this time
    #[arg(long, value_name = "TIME")]
    to: Option<Nanoseconds>,
    /// Show these ranks first, e.g. 0,3-5
    #[arg(long, value_name = "LIST")]
    ranks: Option<RankSet>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { trace, port, no_browser, from, to, ranks } = arguments;
    check_ranks(ranks.as_ref())?;
    check_moments(from, to)?;
    let stop = interruptible()?;
    let file = trace.display().to_string();
    let (source, command) = source_of(&trace)?;
    let shown =
        ShownView { file: &file, command: command.as_deref(), first: [from, to], ranks: ranks.as_ref() };
    let server =
        server::Server::of(source, numawise_report::snapshot::view::page(&shown), port.unwrap_or(0))?;
    // The file goes when it is dropped.
    let page = (!no_browser).then(|| browser::open(server.address())).flatten();
    tell(server.address(), page.is_some())?;
    server.serve(&stop)?;
    Ok(SUCCESS)
}

/// Without a standard output, on the standard error: nobody can guess the address.
fn tell(address: &str, is_opened: bool) -> Result<(), Failure> {
    let line = format!("{address}\n");
    if !was_closed(1) && streams::print_while_read(&line)? {
        return Ok(());
    }
    if was_closed(2) && !is_opened {
        return Err(Failure::new(
            "view: standard output and standard error are closed: nobody would get the address",
        ));
    }
    streams::say_text(&line);
    Ok(())
}

fn port(text: &str) -> Result<u16, std::num::ParseIntError> {
    text.parse()
}

/// What is served, and the command that was traced.
fn source_of(path: &Path) -> Result<(Source, Option<String>), Failure> {
    if foreign::is_archive(path) {
        let run = foreign::read(path)?.run;
        let source = Source::whole(run);
        return Ok((source.ok_or_else(|| foreign::no_rank(path))?, None));
    }
    let kind = numawise_record::kind(path)?;
    if kind != RecordKind::WatchedRun {
        return Err(report::no_trace(path, kind, "view"));
    }
    let (streams, run) = TraceStreams::open(path)?;
    if !run.is_traced() {
        return Err(report::no_trace(path, kind, "view"));
    }
    let command = numawise_facts::Redactor::default().command(&run.header.command).shell_line();
    Ok((Source::of(path, (streams, run), source::SMALL)?, Some(command)))
}
