//! What was measured of this machine and kept, for the commands that use it.

use numawise_facts::{Machine, Reading};
use numawise_machine::Roots;
use numawise_record::Found;
use numawise_units::Nanoseconds;

use super::machine::profile;

/// The newest profile of this machine; nothing where none was kept, or where the folder cannot be read: no command fails
/// because of what it can do without.
pub fn newest(machine: &Machine) -> Option<Found> {
    let profiles = profile::folder().ok()?;
    // Most machines were never measured, and telling one from another means reading more files.
    if !profiles.folder().is_dir() {
        return None;
    }
    profiles.latest(&numawise_machine::fingerprint(&Roots::live(), machine)).ok().flatten()
}

/// The machine with what was measured of it, where something was.
pub fn laid_over(machine: Machine) -> Machine {
    match newest(&machine) {
        Some(found) => numawise_machine::with_measured(machine, &found.profile),
        None => machine,
    }
}

/// When and where a profile was kept: `2025-01-31 12:00:00 UTC (/home/me/.local/share/numawise/profiles/...json)`.
pub fn when_and_where(found: &Found) -> String {
    let path = found.path.display();
    match found.profile.header.taken {
        Reading::Measured(seconds) => {
            let moment = Nanoseconds(seconds.saturating_mul(1_000_000_000));
            format!("{} ({path})", numawise_report::check::moment(moment))
        }
        Reading::Unavailable { .. } => format!("an unknown date ({path})"),
    }
}
