//! What to do about an object, and what that brought where it was tried.

use numawise_facts::finding::{Advice, AdvisedStep, ObjectAdvice};
use numawise_facts::objects::{ObjectCure, TriedCure};
use numawise_facts::{Argument, Effect, Reading, RunSpec};
use numawise_tables::objects::{ObjectFinding, ObjectRow};

use super::Shown;
use crate::document::{Block, Column, Row, Table, Text, section};
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
        (Reading::Unavailable { .. }, Some(line)) => {
            let cure = object_advice(step).and_then(|advice| options(shown, of, advice));
            let reach = match cure {
                Some(CureOptions { object: Some(_), .. }) => "for it alone",
                Some(CureOptions { cure: ObjectCure::PutIntoFastMemory, .. }) if shown.record.is_some() => {
                    "for all chosen objects"
                }
                _ => "for all memory at once",
            };
            format!("{what}; not tried; {reach}: {line}")
        }
        (Reading::Unavailable { .. }, None) => format!("{what}; not tried"),
    }
}

/// `tried, 1.77x (1.60x to 1.95x)`.
fn tried(effect: &Effect) -> String {
    format!("tried, {} ({} to {})", effect.ratio, effect.low, effect.high)
}

/// All that was tried, with the lines that did it.
pub fn all_tried(shown: &Shown) -> Option<Block> {
    let effect = |of: &TriedCure| {
        Text::of(&of.effect, |effect| format!("{} ({} to {})", effect.ratio, effect.low, effect.high))
    };
    let row = |of: &TriedCure| [effect(of), Text::from(of.command.clone())].into_iter().collect::<Row>();
    let rows: Vec<Row> = shown.run.trials.iter().map(row).collect();
    let columns = vec![Column::text("times as fast"), Column::code("with")];
    let table = Block::Table(Table { columns, rows, most: None });
    (!shown.run.trials.is_empty()).then(|| section("tried", "Tried", vec![table]))
}

/// A cure that a line of ours applies to the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CureOptions {
    /// Index of the objects of the run; missing where it is for more than one.
    pub object: Option<u32>,
    pub cure: ObjectCure,
    options: String,
}

impl CureOptions {
    /// The line, with the program that it is for.
    pub fn line(&self, command: &RunSpec) -> String {
        format!("numawise run {} -- {}", self.options, command.shell_line())
    }
}

/// All that can be tried of what the findings advise, each once: what matters most first.
pub fn to_try(shown: &Shown) -> Vec<CureOptions> {
    let mut all: Vec<CureOptions> = Vec::new();
    let steps =
        || shown.tables.findings.iter().flat_map(|of| of.finding.advice.iter().map(move |step| (of, step)));
    let own = steps().filter_map(|(of, step)| options(shown, of, object_advice(step)?));
    // What one object gains, all of them may.
    let whole = steps().filter_map(|(_, step)| match object_advice(step)? {
        advice @ ObjectAdvice::InterleaveObject { .. } => of_all(advice),
        _ => None,
    });
    for cure in own.chain(whole) {
        if !all.contains(&cure) {
            all.push(cure);
        }
    }
    all
}

/// The line that tried it, else one that tries it; none where only a change of the program does it.
pub fn line(shown: &Shown, of: &ObjectFinding, step: &AdvisedStep) -> Option<String> {
    let advice = object_advice(step)?;
    if let Some(trial) = trial(shown, of, advice) {
        return Some(trial.command.clone());
    }
    options(shown, of, advice).map(|cure| cure.line(&shown.run.header.command))
}

/// On the object, or those that are chosen for fast memory, where there is a record that knows them; else on all memory of the program.
fn options(shown: &Shown, of: &ObjectFinding, advice: &ObjectAdvice) -> Option<CureOptions> {
    let Some(record) = shown.record else { return of_all(advice) };
    let row = shown.tables.rows.get(of.row)?;
    let to = |target: String, names: String| {
        format!("--objects-to {}", Argument::from(format!("{target}={record}{names}").as_str()))
    };
    let of_object = |target: String| {
        // What has no call stack of its own can only be reached with all the rest.
        shown.run.objects.get(row.object)?.site.measured()?;
        let object = u32::try_from(row.object).ok()?;
        let options = to(target, format!(":{}", called(shown, row)));
        Some(CureOptions { object: Some(object), cure: advice.cure(), options })
    };
    match advice {
        ObjectAdvice::PutIntoFastMemory { .. } => Some(CureOptions {
            object: None,
            cure: advice.cure(),
            options: to("hbm".to_owned(), String::new()),
        }),
        ObjectAdvice::InterleaveObject { nodes } => {
            of_object(format!("interleave:{nodes}")).or_else(|| of_all(advice))
        }
        ObjectAdvice::PutOnNode { node } => of_object(node.to_string()).or_else(|| of_all(advice)),
        _ => of_all(advice),
    }
}

fn of_all(advice: &ObjectAdvice) -> Option<CureOptions> {
    let options = object_findings::options(advice)?;
    Some(CureOptions { object: None, cure: advice.cure(), options })
}

/// What `--objects-to` knows an object by: its variable where that is no other's, else its number in the record.
fn called(shown: &Shown, row: &ObjectRow) -> String {
    let is_plain = |name: &&String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_its_own = |name: &&String| {
        shown.tables.rows.iter().filter(|other| other.name.measured() == Some(name)).count() == 1
    };
    match row.name.measured().filter(is_plain).filter(is_its_own) {
        Some(name) => name.clone(),
        None => format!("#{}", row.object),
    }
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
