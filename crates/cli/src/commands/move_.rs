//! `numawise move PID|NAME FROM TO`: the memory of running processes from nodes to others, as migratepages(8) moves it, with what came of it.

use numawise_report::{document, moved};
use numawise_session::migrate::{MoveRequest, move_memory};
use numawise_session::watch::TargetRequest;

use super::{Failure, SUCCESS, Status};
use crate::faces::JsonOption;
use crate::streams;

/// Move the memory of running processes from nodes to others
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "FROM and TO are nodes as numactl has them: 0, 0-1, all, !0. The memory of the k-th node of FROM goes to the k-th of TO.\n\
                  Exit status: 0, also where a part of it stays (that is reported); 125 when nothing could be moved.\n\
                  Manual: docs/user/move.md"
)]
pub struct Arguments {
    /// A process number, or a program's name: all processes of that name
    #[arg(value_name = "PID|NAME")]
    process: String,
    /// Nodes that the memory is to leave
    #[arg(value_name = "FROM", allow_hyphen_values = true)]
    from: String,
    /// Nodes to which it is to go
    #[arg(value_name = "TO", allow_hyphen_values = true)]
    to: String,
    #[command(flatten)]
    json: JsonOption,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { process, from, to, json } = arguments;
    json.check()?;
    let targets = TargetRequest { processes: vec![process], ..TargetRequest::default() };
    let (all, missing) = move_memory(&MoveRequest { targets, from, to })?;
    missing.iter().for_each(|missing| streams::say(&format!("warning: {missing}")));
    let text = || document::terminal(&moved::document(&all), streams::style());
    json.put(text, || format!("{:#}\n", moved::json(&all)))?;
    Ok(SUCCESS)
}
