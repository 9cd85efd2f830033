//! `numawise machine compare A B`: two profiles side by side, cell by cell, with the second beside the first.
//!
//! A and B are files that `numawise machine measure` saved, texts of Intel's Memory Latency Checker, or the word `latest` for
//! this machine's newest complete profile.

use super::print::Output;
use super::profile::{self, Which};
use crate::commands::{Failure, SUCCESS, Status};

/// Show two profiles side by side: of two machines, or of one before and after a change
#[derive(clap::Args)]
pub struct Arguments {
    /// A saved profile, a text that Intel's Memory Latency Checker printed, or 'latest'
    #[arg(value_name = "A")]
    a: Which,
    /// What is compared with it
    #[arg(value_name = "B")]
    b: Which,
    #[command(flatten)]
    output: Output,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    arguments.output.check()?;
    let here = profile::fingerprint()?;
    let (a, b) = (arguments.a.load(&here)?, arguments.b.load(&here)?);
    let names = [arguments.a.name(), arguments.b.name()];
    arguments.output.both(&a.profile, &b.profile, [&names[0], &names[1]])?;
    Ok(SUCCESS)
}
