//! Texts of the notices of a study whose trials are jobs of a batch system.

use numawise_facts::PointId;
use numawise_units::harmless;

use crate::amount::many;

pub fn lost(job: Option<u32>, node: &str, state: &str, block: u32, point: &PointId) -> String {
    let (node, state) = (harmless::line(node), harmless::line(state));
    let job = job.map_or_else(|| "its job".to_owned(), |number| format!("job {number}"));
    format!("the trial at {point} in block {block} is done again: {job} on {node} ended with {state}")
}

pub fn unknown(problem: &str) -> String {
    format!("the state of the jobs is not known for now: {}; they are waited for", harmless::line(problem))
}

pub fn refused(problem: &str, jobs: u32) -> String {
    let are = if jobs == 1 { "is" } else { "are" };
    format!(
        "no further job is taken for now: {}; {jobs} {are} under way, and those that are missing come later",
        harmless::line(problem)
    )
}

pub fn not_cancelled(jobs: u32, problem: &str) -> String {
    format!(
        "{} could not be cancelled: {}; `squeue --me` shows what is left of them, and the same command takes them over",
        many(u64::from(jobs), "job"),
        harmless::line(problem)
    )
}

pub fn moved(block: u32, from: &str, to: &str) -> String {
    format!(
        "block {block} goes on on {}, since {} takes no more jobs: the difference between both nodes is in the results of this block",
        harmless::line(to),
        harmless::line(from)
    )
}

pub fn go_on(jobs: u32) -> String {
    let are = if jobs == 1 { "is" } else { "are" };
    format!(
        "{} of the study {are} under way: the same command finds what comes of them, `scancel` ends them",
        many(u64::from(jobs), "job")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_whose_number_is_not_known_has_none() {
        let of = |job| lost(job, "n1", "FORGOTTEN", 2, &PointId::from("n=1"));
        assert_eq!(
            of(Some(7)),
            "the trial at n=1 in block 2 is done again: job 7 on n1 ended with FORGOTTEN"
        );
        assert_eq!(of(None), "the trial at n=1 in block 2 is done again: its job on n1 ended with FORGOTTEN");
    }
}
