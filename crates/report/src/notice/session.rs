//! Texts of the notices of a use case.

use numawise_facts::notice::{ChangedPart, SessionNotice};

use crate::levels::counted;

pub fn text(notice: &SessionNotice) -> String {
    match notice {
        SessionNotice::HwlocNotUsed { problem } => {
            format!("{problem}; continuing with the kernel's files alone")
        }
        SessionNotice::ProfileUnderWrongName { path } => {
            format!("passed over {}: it is of another machine than its name says", path.display())
        }
        SessionNotice::IncompleteProfileNotUsed { path } => {
            format!("passed over {}: it was stopped before its end", path.display())
        }
        SessionNotice::UnreadableProfile { problem } => format!("passed over {problem}"),
        SessionNotice::ProfileOfAnotherMachine { path, there, here } => format!(
            "{} is of another machine: {} (topology {}); this one is {} (topology {})",
            path.display(),
            there.processor,
            there.topology,
            here.processor,
            here.topology
        ),
        SessionNotice::ProfileOfUnknownMachine { path, reason } => {
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            format!("{}: of which machine it is cannot be determined{reason}", path.display())
        }
        SessionNotice::MachineChangedSinceProfile { path, part, then, now } => {
            let part = match part {
                ChangedPart::Kernel => "kernel",
                ChangedPart::Firmware => "firmware",
            };
            format!(
                "{} was measured with {part} {then}; now it is {now}; measure again where that matters",
                path.display()
            )
        }
        SessionNotice::NearEverywhere { device, nodes } => format!(
            "--near {device}: no node with CPUs that we may use is far from it ({}), so being near makes no difference here",
            counted(nodes)
        ),
    }
}
