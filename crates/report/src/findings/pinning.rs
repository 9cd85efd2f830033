//! What threads do that are pinned and that are not.

use numawise_facts::finding::{Amount, Evidence, EvidenceQuantity, EvidenceSubject};
use numawise_facts::{Reading, StudyHeader, ThreadBinding};

use super::{amount, levels, value};

pub fn sentence(header: &StudyHeader, one: &Evidence) -> String {
    let value = value(one);
    let how = pinned_or_not(header, &one.subject);
    match (one.quantity, &one.value) {
        (EvidenceQuantity::Migrations, Reading::Unavailable { unavailable }) => {
            format!("whether threads change CPUs could not be seen ({unavailable})")
        }
        (EvidenceQuantity::Migrations, Reading::Measured(Amount::Count(0))) => {
            "no thread changed its CPU between two samples".to_owned()
        }
        (EvidenceQuantity::Migrations, Reading::Measured(Amount::Count(1))) => {
            "threads were seen to change CPUs once in a run (median; at least)".to_owned()
        }
        (EvidenceQuantity::Migrations, _) => {
            format!("threads were seen to change CPUs {value} times in a run (median; at least)")
        }
        (EvidenceQuantity::RunsWithSharedCpu, _) => {
            let of = one.of.map(amount).unwrap_or_default();
            format!(
                "in {value} of {of} runs{how} two threads shared a CPU most of the time, though each could have its own"
            )
        }
        (EvidenceQuantity::WaitForCpu, _) => {
            format!("threads{how} waited for a CPU for {value} of the time that they could have run")
        }
        _ => format!("run times vary by {value}{how}"),
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
