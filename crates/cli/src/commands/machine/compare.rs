//! `numawise machine compare A B`: two profiles side by side, cell by cell, with the second beside the first.
//!
//! A and B are files that `numawise machine measure` saved, texts of Intel's Memory Latency Checker, or the word `latest` for
//! this machine's newest complete profile.

use super::print::Output;
use super::print::load;
use crate::commands::{Failure, SUCCESS, Status};
use numawise_session::profiles::{self, ProfileChoice};

/// Show two profiles side by side: of two machines, or of one before and after a change
#[derive(clap::Args)]
pub struct Arguments {
    /// A saved profile, a text that Intel's Memory Latency Checker printed, or 'latest'
    #[arg(value_name = "A")]
    a: ProfileChoice,
    /// What is compared with it
    #[arg(value_name = "B")]
    b: ProfileChoice,
    #[command(flatten)]
    output: Output,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    arguments.output.check(&[], &[&arguments.a, &arguments.b])?;
    let here = profiles::fingerprint()?;
    let (a, b) = (load(&arguments.a, &here)?, load(&arguments.b, &here)?);
    let names = [arguments.a.to_string(), arguments.b.to_string()];
    arguments.output.both(&a.profile, &b.profile, [&names[0], &names[1]])?;
    Ok(SUCCESS)
}
