//! Looks as text, JSON or CSV on the standard output.

use std::time::Duration;

use numawise_report::residency::{self, Style};
use numawise_tables::Residency;
use numawise_units::Schedule;

use super::clock::boot_time;
use super::looker::Looker;
use super::request::{Format, Mode, Request};
use super::something_seen;
use crate::commands::{Failure, SUCCESS, Status};
use crate::show;

pub fn run(mut looker: Looker, request: &Request) -> Result<Status, Failure> {
    let Mode::Repeat { interval, count } = request.mode else {
        let seen = looker.whole()?;
        something_seen(&seen)?;
        print(&seen, request, 0)?;
        return Ok(SUCCESS);
    };
    let mut schedule = Schedule::new(boot_time(), interval);
    something_seen(&looker.whole()?)?;
    for shown in 0..count {
        std::thread::sleep(Duration::from(schedule.left(boot_time())));
        schedule.begin(boot_time());
        let seen = looker.whole()?;
        if seen.tasks.is_empty() {
            match shown {
                0 => return Err(Failure::new(format!("the processes have ended within {interval}"))),
                _ => break,
            }
        }
        if !print(&seen, request, shown)? {
            break;
        }
    }
    Ok(SUCCESS)
}

/// False when nobody reads any more.
fn print(seen: &Residency, request: &Request, shown: u64) -> Result<bool, Failure> {
    let text = match request.format {
        Format::Text => {
            let style = show::style();
            let style = Style { width: style.width, colour: style.colour, every_thread: request.threads };
            let gap = if shown > 0 { "\n" } else { "" };
            format!("{gap}{}", residency::text(seen, &style))
        }
        // One to a line where there are several, so that a reader need not wait for the end.
        Format::Json if matches!(request.mode, Mode::Repeat { count: 2.., .. }) => {
            format!("{}\n", residency::json(seen))
        }
        Format::Json => format!("{:#}\n", residency::json(seen)),
        Format::Csv if shown == 0 => residency::csv(seen),
        Format::Csv => residency::rows(seen),
    };
    show::print_while_read(&text)
}
