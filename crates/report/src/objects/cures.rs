//! What to do about an object, and what that brought where it was tried.

use numawise_facts::finding::{Advice, AdvisedStep, ObjectAdvice};
use numawise_facts::objects::TriedCure;
use numawise_facts::{Argument, Effect, Reading};
use numawise_tables::objects::ObjectFinding;

use super::Shown;
use crate::findings::objects as object_findings;

/// One step as text: what to do, what it brought, and the line that tries it.
pub fn text(shown: &Shown, of: &ObjectFinding, step: &AdvisedStep) -> String {
    let what = object_advice(step).map(object_findings::advise).unwrap_or_default();
    let line = line(shown, of, step);
    match (&step.brought, line) {
        (Reading::Measured(effect), Some(line)) => format!("{what}: {} by {line}", tried(effect)),
        (Reading::Measured(effect), None) => format!("{what}: {}", tried(effect)),
        (Reading::Unavailable { unavailable }, line) if is_tried(shown, of, step) => {
            let by = line.map(|line| format!(" by {line}")).unwrap_or_default();
            format!("{what}: tried{by}, without a result ({unavailable})")
        }
        (Reading::Unavailable { .. }, Some(line)) if puts_objects(shown, step) => {
            format!("{what}; not tried; for all that is chosen: {line}")
        }
        (Reading::Unavailable { .. }, Some(line)) => {
            format!("{what}; not tried; for all memory at once: {line}")
        }
        (Reading::Unavailable { .. }, None) => format!("{what}; not tried"),
    }
}

/// `tried, 1.77x (1.60x to 1.95x)`.
fn tried(effect: &Effect) -> String {
    format!("tried, {} ({} to {})", effect.ratio, effect.low, effect.high)
}

/// Whether the line puts objects into the fast memory and nothing else there, by the record of the run.
fn puts_objects(shown: &Shown, step: &AdvisedStep) -> bool {
    shown.record.is_some() && matches!(object_advice(step), Some(ObjectAdvice::PutIntoFastMemory { .. }))
}

/// The line that tried it, else one that tries it on the objects that are chosen, or on all memory of the program; none where only a change of the program does it.
pub fn line(shown: &Shown, of: &ObjectFinding, step: &AdvisedStep) -> Option<String> {
    let advice = object_advice(step)?;
    if let Some(trial) = trial(shown, of, advice) {
        return Some(trial.command.clone());
    }
    let options = match (shown.record, puts_objects(shown, step)) {
        (Some(record), true) => format!("--objects-to {}", Argument::from(format!("hbm={record}").as_str())),
        _ => object_findings::options(advice)?,
    };
    Some(format!("numawise run {options} -- {}", shown.run.header.command.shell_line()))
}

fn is_tried(shown: &Shown, of: &ObjectFinding, step: &AdvisedStep) -> bool {
    object_advice(step).is_some_and(|advice| trial(shown, of, advice).is_some())
}

/// That of the object, else that of all memory.
fn trial<'a>(shown: &Shown<'a>, of: &ObjectFinding, advice: &ObjectAdvice) -> Option<&'a TriedCure> {
    let object = shown.tables.rows.get(of.row).and_then(|row| u32::try_from(row.object).ok());
    let trials = || shown.run.trials.iter().filter(|trial| trial.cure == advice.cure());
    let own = trials().find(|trial| trial.object.is_some() && trial.object == object);
    own.or_else(|| trials().find(|trial| trial.object.is_none()))
}

fn object_advice(step: &AdvisedStep) -> Option<&ObjectAdvice> {
    match &step.advice {
        Advice::Object(advice) => Some(advice),
        _ => None,
    }
}
