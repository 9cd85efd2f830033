//! What threads do that are pinned and that are not.

use numawise_facts::finding::{Amount, Evidence, EvidenceSubject, PinningQuantity};
use numawise_facts::{Reading, StudyHeader, ThreadBinding};

use super::{amount, levels, value};

pub fn sentence(header: &StudyHeader, quantity: PinningQuantity, one: &Evidence) -> String {
    let value = value(one);
    let how = pinned_or_not(header, &one.subject);
    match (quantity, &one.value) {
        (PinningQuantity::Migrations, Reading::Unavailable { unavailable }) => {
            format!("whether threads change CPUs could not be seen ({unavailable})")
        }
        (PinningQuantity::Migrations, Reading::Measured(Amount::Count(0))) => {
            "no thread changed its CPU between two samples".to_owned()
        }
        (PinningQuantity::Migrations, Reading::Measured(Amount::Count(1))) => {
            "threads were seen to change CPUs once in a run (median; at least)".to_owned()
        }
        (PinningQuantity::Migrations, _) => {
            format!("threads were seen to change CPUs {value} times in a run (median; at least)")
        }
        (PinningQuantity::RunsWithSharedCpu, _) => {
            let of = one.of.map(amount).unwrap_or_default();
            format!(
                "in {value} of {of} runs{how} two threads shared a CPU most of the time, though each could have its own"
            )
        }
        (PinningQuantity::WaitForCpu, _) => {
            format!("threads{how} waited for a CPU for {value} of the time that they could have run")
        }
        (PinningQuantity::RunVariation, _) => format!("run times vary by {value}{how}"),
    }
}

fn pinned_or_not(header: &StudyHeader, subject: &EvidenceSubject) -> &'static str {
    let EvidenceSubject::Point { point } = subject else { return "" };
    match levels(header, point).map(|levels| levels.pin) {
        Some(ThreadBinding::Pinned) => " pinned",
        Some(ThreadBinding::Free) => " unpinned",
        None => "",
    }
}
