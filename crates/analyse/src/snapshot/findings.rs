//! Findings of a run that was watched from inside: what took the time that was not useful, and what to do about it.
//!
//! A run is watched once, so that nothing is known of what a cure brings: the potential is what it could bring at most.

mod early;
mod files;
mod mpi;
mod openmp;
mod others;
mod placement;
mod trace;
mod trace_openmp;

use numawise_facts::finding::{
    Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, WatchedAdvice,
    WatchedQuantity, WatchedSubject,
};
use numawise_facts::merged::MergedPlacement;
use numawise_facts::{Finding, FindingId, Reading};
use numawise_tables::snapshot::{
    CpuCount, Efficiencies, MpiSummary, OpenMpSummary, PlacementSummary, PotentialGain, RunTrace,
    SnapshotFinding,
};
use numawise_units::{Arrange, Nanoseconds, Ratio};

use super::Run;
use super::process::Process;

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// What could bring less of the elapsed time is no finding.
const WORTH_SAYING: f64 = 0.05;

/// What rules look at.
pub struct Case<'a> {
    pub run: &'a Run<'a>,
    pub cpus: &'a Reading<CpuCount>,
    pub efficiency: &'a Efficiencies,
    pub mpi: Option<&'a MpiSummary>,
    pub openmp: Option<&'a OpenMpSummary>,
    /// None where nothing is known of it.
    pub placement: Option<(&'a MergedPlacement, &'a PlacementSummary)>,
    /// None where no calls were traced.
    pub trace: Option<&'a RunTrace>,
}

impl Case<'_> {
    /// The elapsed time that shares are of, in seconds.
    fn elapsed(&self) -> Option<f64> {
        self.run.seconds().measured().copied()
    }

    fn elapsed_amount(&self) -> Option<Amount> {
        self.elapsed().map(time)
    }

    /// So much of the elapsed time that it is worth saying.
    fn is_worth(&self, seconds: f64) -> bool {
        self.elapsed().is_some_and(|elapsed| seconds >= WORTH_SAYING * elapsed)
    }

    /// As much of what a process waited for each of its CPUs as is in the time that shares are of, in seconds: it may have lived for longer.
    /// None where it is not known for how long. What its useful time has of that is no more than all.
    fn in_run(
        &self,
        process: Option<&Process<'_>>,
        lived: &Reading<Nanoseconds>,
        delay: Nanoseconds,
    ) -> Option<f64> {
        let lived = lived.measured()?.seconds();
        let part = self.elapsed().filter(|_| lived > 0.0).map_or(1.0, |elapsed| (elapsed / lived).min(1.0));
        let of_useful = process.and_then(|process| {
            let (time, cpus) = (process.time.measured()?, *process.cpus.measured()?);
            Some(time.without_cpu().measured()?.each_of(cpus).min(delay).seconds())
        });
        Some((delay.seconds() * part).max(of_useful.unwrap_or(0.0)))
    }

    fn gain(&self, seconds: f64) -> Reading<PotentialGain> {
        gain(self.run, seconds)
    }
}

/// A part of a run that could be gained.
pub fn gain(run: &Run<'_>, seconds: f64) -> Reading<PotentialGain> {
    run.share(seconds).map(|share| PotentialGain { time: Nanoseconds::from_seconds(seconds), share })
}

/// All that stands out: what ended the run before its end, then the largest potential first.
///
/// `of_worlds` are those of each world by itself.
pub fn all(case: &Case<'_>, of_worlds: Vec<SnapshotFinding>) -> Vec<SnapshotFinding> {
    let mut findings = mpi::all(case);
    trace::explain(case, &mut findings);
    findings.extend(of_worlds);
    findings.extend(openmp::all(case));
    trace_openmp::explain(case, &mut findings);
    findings.extend(placement::all(case));
    findings.extend(others::other_work(case));
    findings.extend(files::long_on_files(case));
    let gain = |finding: &SnapshotFinding| finding.potential.measured().map_or(-1.0, |gain| gain.share.0);
    findings.arrange_by(|one, two| gain(two).total_cmp(&gain(one)));
    findings.splice(0..0, early::ended_early(case));
    findings
}

fn finding(
    id: FindingId,
    evidence: Vec<Evidence>,
    potential: Reading<PotentialGain>,
    advice: Vec<Advice>,
) -> SnapshotFinding {
    let finding = Finding {
        id,
        evidence,
        cost: Reading::unavailable("the run was watched once, and no cure was tried"),
        cure: None,
        advice: advice.into_iter().map(Into::into).collect(),
    };
    SnapshotFinding { finding, potential }
}

fn advice(advice: WatchedAdvice) -> Advice {
    Advice::Watched(advice)
}

pub fn evidence(
    quantity: WatchedQuantity,
    value: Amount,
    of: Option<Amount>,
    subject: WatchedSubject,
) -> Evidence {
    Evidence {
        quantity: EvidenceQuantity::Watched(quantity),
        value: Reading::Measured(value),
        of,
        interval: None,
        subject: EvidenceSubject::Watched(subject),
        source: EvidenceSource::Collector,
    }
}

/// A process as what evidence speaks of.
fn of_process(process: &Process<'_>) -> WatchedSubject {
    WatchedSubject::Process(process.named())
}

/// Of the whole run.
fn of_run(quantity: WatchedQuantity, value: Amount, of: Option<Amount>) -> Evidence {
    evidence(quantity, value, of, WatchedSubject::WatchedRun)
}

fn time(seconds: f64) -> Amount {
    Amount::Time(Nanoseconds::from_seconds(seconds))
}

fn share(value: f64) -> Amount {
    Amount::Share(Ratio(value))
}
