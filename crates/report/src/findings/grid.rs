//! Findings of a study of a grid.

use numawise_facts::StudyHeader;
use numawise_facts::finding::{Amount, Evidence, EvidenceSubject, GridAdvice, GridQuantity, GridSubject};

use super::{amount, effect, value};
use crate::amount::many;
use crate::notice::study::metric_problem;

pub(super) fn sentence(header: &StudyHeader, quantity: GridQuantity, one: &Evidence) -> String {
    let number = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    match quantity {
        GridQuantity::Workers => format!("{number} threads do as well as any number up to {of}"),
        GridQuantity::EffectOfMoreWorkers => match &one.subject {
            EvidenceSubject::Points { from, to } => {
                format!(
                    "of the points with more threads than {from} the best is {to}, {} as fast",
                    effect(one)
                )
            }
            _ => format!("with more threads it is {} as fast", effect(one)),
        },
        GridQuantity::DoublingBefore => {
            format!("doubling the threads up to {} makes it {number} as fast", point(&one.subject))
        }
        GridQuantity::DoublingAfter => format!("doubling them beyond makes it {number} as fast"),
        GridQuantity::CoresOfNodeUsedUp => format!("the {number} cores of a node have a thread each there"),
        GridQuantity::CoresUsedUp => {
            format!("the {number} cores have a thread each there, and more threads share cores (SMT)")
        }
        GridQuantity::CpusUsedUp => {
            format!("the {number} CPUs have a thread each there, and more threads share CPUs")
        }
        GridQuantity::SaturatingCores if one.value.measured().is_none() => {
            format!(
                "at how many cores the bandwidth of memory is used up is not known: {number} (numawise machine measure)"
            )
        }
        GridQuantity::SaturatingCores => format!(
            "about {number} cores of a node read as much as all of its memory gives (numawise machine measure)"
        ),
        GridQuantity::EffectOfLevel => match levels(&one.subject) {
            Some((from, to)) => format!("{to} is {} as fast as {from}", effect(one)),
            None => effect(one),
        },
        GridQuantity::EffectAtCombination => match &one.subject {
            EvidenceSubject::Points { from, to } => format!("{to} is {} as fast as {from}", effect(one)),
            _ => format!("at one combination it is {} as fast", effect(one)),
        },
        GridQuantity::ScatterOfLevel => match levels(&one.subject) {
            Some((from, to)) => format!("trials with {to} scatter {} as much as with {from}", effect(one)),
            None => effect(one),
        },
        GridQuantity::Combinations => match one.value.measured() {
            Some(Amount::Count(combinations)) => {
                format!("this is the mean over {} of the other factors", many(*combinations, "combination"))
            }
            _ => number,
        },
        GridQuantity::PointsGivenUp => {
            format!(
                "{number} of {of} points failed in all their trials, or in the last three, and were given up"
            )
        }
        GridQuantity::FailedTrials => failed(header, &one.subject, &number, &of),
    }
}

pub(super) fn advise(advice: &GridAdvice) -> String {
    match advice {
        GridAdvice::RunPoint { point } => format!("run it as at {point}"),
        GridAdvice::ChooseTogether { factor } => {
            format!("choose {factor} together with the other factors, by the points and not by its mean")
        }
        GridAdvice::MendPoint { point } => {
            format!("run the command of {point} by hand and fix it, or leave such points out (--where)")
        }
    }
}

fn point(subject: &EvidenceSubject) -> String {
    match subject {
        EvidenceSubject::Point { point } => point.to_string(),
        _ => "some point".to_owned(),
    }
}

/// `place=local`, `place=semi`: the level that is compared with, and that which is compared.
fn levels(subject: &EvidenceSubject) -> Option<(String, String)> {
    let EvidenceSubject::Grid(GridSubject::Levels { factor, from, to }) = subject else { return None };
    Some((format!("{factor}={from}"), format!("{factor}={to}")))
}

fn failed(header: &StudyHeader, subject: &EvidenceSubject, number: &str, of: &str) -> String {
    let EvidenceSubject::Grid(GridSubject::Failure { point, failure, problem, said }) = subject else {
        return format!("{number} of {of} trials failed");
    };
    let how = failure.as_ref().map(ToString::to_string);
    let how = how.or_else(|| Some(metric_problem(Some(&header.metric), problem.as_ref()?)));
    let how = how.map(|how| format!(", the last with {how}")).unwrap_or_default();
    let said = said.as_ref().map(|said| format!("; it said: {said}")).unwrap_or_default();
    format!("{point}: {number} of {of} trials failed{how}{said}")
}
