//! Objects of a check: named by findings of the whole program, and with the cures that its trials have tried.

use numawise_facts::finding::{
    Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, NamedObject, ObjectAdvice,
    ObjectQuantity, ObjectSubject,
};
use numawise_facts::objects::{AccessMethod, ObjectCure, TriedCure};
use numawise_facts::{Finding, FindingId, ObjectRun, Point, Reading, Study};
use numawise_tables::ObjectTables;
use numawise_tables::objects::{ObjectRow, TouchRow, UseRow};

use super::is_programs_own;
use crate::comparison::{self, Comparison};
use crate::contrasts::Judged;

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;

/// Objects that a finding names.
const MOST_NAMED: usize = 3;
/// An object with less of the time for memory is none to speak of.
const WORTH_NAMING: f64 = 0.05;
/// One thread has touched it.
const NEARLY_ALL: f64 = 0.9;

/// The objects of a check with what its trials say of the cures; `line` is what runs a placement, as it can be typed.
pub fn of_check(study: &Study, judged: &Judged, line: &dyn Fn(&Point) -> String) -> Option<ObjectRun> {
    let mut run = study.objects.clone()?;
    let header = &study.header;
    let tried = [
        (ObjectCure::Interleave, comparison::of_interleaving(header)),
        (ObjectCure::PutIntoFastMemory, comparison::of_high_bandwidth_memory(header)),
    ];
    run.trials.extend(tried.into_iter().filter_map(|(cure, between)| {
        let Comparison { from, to } = between?;
        let effect = judged.contrast(&from.id, &to.id)?.effect.clone();
        Some(TriedCure { object: None, cure, command: line(to), effect })
    }));
    Some(run)
}

/// Has the findings for which it matters name the objects; without a run that followed them nothing changes.
pub fn name_in(findings: &mut [Finding], study: &Study) {
    let Some(run) = &study.objects else { return };
    let about_memory = |finding: &&mut Finding| {
        matches!(
            finding.id,
            FindingId::FirstTouchByOneThread | FindingId::ProcessPerNode | FindingId::HbmUnused
        )
    };
    let mut findings: Vec<&mut Finding> = findings.iter_mut().filter(about_memory).collect();
    if findings.is_empty() {
        return;
    }
    let tables = super::objects(run);
    let rows: Vec<&ObjectRow> = largest(&tables);
    for finding in &mut findings {
        finding.evidence.extend(rows.iter().map(|row| evidence(run, row)));
        if finding.id == FindingId::FirstTouchByOneThread {
            let steps = rows.iter().filter_map(|row| initialise(row));
            finding.advice.extend(steps.map(|advice| Advice::Object(advice).into()));
        }
    }
}

/// Those with most time for memory; where times are not known, the largest.
fn largest(tables: &ObjectTables) -> Vec<&ObjectRow> {
    let is_worth =
        |row: &&ObjectRow| row.memory_time.measured().is_none_or(|share| share.value.0 >= WORTH_NAMING);
    let own = tables.rows.iter().filter(|row| is_programs_own(row.kind));
    own.filter(is_worth).take(MOST_NAMED).collect()
}

fn evidence(run: &ObjectRun, row: &ObjectRow) -> Evidence {
    let quantity = match run.watching.time.measured().map(|time| time.method) {
        Some(AccessMethod::Passes) => ObjectQuantity::NamedByAccesses,
        Some(AccessMethod::Waited) | None => ObjectQuantity::NamedByTime,
    };
    let share = row.memory_time.measured();
    Evidence {
        quantity: EvidenceQuantity::Object(quantity),
        value: row.memory_time.as_ref().map(|share| Amount::Share(share.value)),
        of: (row.count > 0).then_some(Amount::Bytes(row.bytes)),
        interval: share.map(|share| (Amount::Share(share.low), Amount::Share(share.high))),
        subject: EvidenceSubject::Object(ObjectSubject::NamedObject(Box::new(named(row)))),
        source: EvidenceSource::Samples,
    }
}

fn named(row: &ObjectRow) -> NamedObject {
    NamedObject {
        name: row.name.clone(),
        kind: row.kind,
        allocated: row.allocated.clone(),
        touched_by: row.first_touch.clone().and_then(|touch| by(&touch)),
        touched_at: row.first_touch.clone().and_then(|touch| touch.place),
        used_at: row.used.clone().and_then(|used| at(&used)),
    }
}

fn by(touch: &TouchRow) -> Reading<u32> {
    match touch.threads.first() {
        Some(first) if first.share.0 >= NEARLY_ALL => Reading::Measured(first.number),
        _ => Reading::unavailable("several threads touched it first"),
    }
}

fn at(used: &UseRow) -> Reading<numawise_facts::activity::CodePlace> {
    match used.places.first() {
        Some((place, _)) => Reading::Measured(place.clone()),
        None => Reading::unavailable("it is not known where"),
    }
}

/// Where one thread has touched it, and it is known in which loop it is used.
fn initialise(row: &ObjectRow) -> Option<ObjectAdvice> {
    let object = named(row);
    object.touched_by.measured()?;
    object.used_at.measured()?;
    Some(ObjectAdvice::InitialiseObject(Box::new(object)))
}
