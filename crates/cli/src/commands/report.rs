//! `numawise report FILE.nw`: what a record says, as text, JSON or HTML, at any time after (or during) a check.

use std::path::PathBuf;

use numawise_record::Record;

use super::{Failure, SUCCESS, Status};
use crate::show;

/// Show a record again: on the terminal, as JSON, as HTML
#[derive(clap::Args)]
pub struct Arguments {
    /// The record that a check has written
    #[arg(value_name = "FILE.nw")]
    record: PathBuf,
    /// Write the report in HTML too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    if let Some(path) = &arguments.html {
        show::writable(path)?;
    }
    let study = Record::open_to_read(&arguments.record)?.study()?;
    show::study(&study, &arguments.record, arguments.json, arguments.html.as_deref())?;
    Ok(SUCCESS)
}
