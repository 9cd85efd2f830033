//! `numawise compare A.nw B.nw`: two snapshots side by side: elapsed time, efficiencies, calls of MPI, regions, and findings that came
//! or went.
//!
//! Each was run once, so that no difference is proven, and that is said. Profiles of machines are compared by `numawise machine
//! compare`.

use std::path::PathBuf;

use super::report::{not_a_snapshot, watched_run};
use super::{Failure, SUCCESS, Status};
use crate::files::{self, OutputFile};
use crate::show;

/// Show two snapshots side by side, e.g. before and after a change
#[derive(clap::Args)]
pub struct Arguments {
    /// A snapshot (numawise snapshot --output)
    #[arg(value_name = "A.nw")]
    a: PathBuf,
    /// What is compared with it
    #[arg(value_name = "B.nw")]
    b: PathBuf,
    /// Write the comparison in HTML too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { a, b, html, json } = arguments;
    let page = html.as_deref().map(OutputFile::html);
    files::check(page.as_slice(), &[&a, &b])?;
    let kinds = [numawise_record::kind(&a)?, numawise_record::kind(&b)?];
    for (path, kind) in [&a, &b].into_iter().zip(kinds) {
        if let Some(other) = not_a_snapshot(kind) {
            return Err(Failure::new(format!(
                "compare {}: this is {other}; expected two snapshots of runs (numawise snapshot --output)",
                path.display()
            )));
        }
    }
    let (first, second) = (watched_run(&a)?, watched_run(&b)?);
    let names = [&a, &b].map(|path| path.display().to_string());
    let sides = [show::Snapshot::of(&first, &names[0]), show::Snapshot::of(&second, &names[1])];
    show::compared(sides, json, html.as_deref())?;
    Ok(SUCCESS)
}
