//! Texts of the notices of a plan.

use numawise_facts::PlanNotice;

pub fn text(notice: &PlanNotice) -> String {
    match notice {
        PlanNotice::NodesWithoutUsableCpus { nodes } => {
            format!("node {nodes} has no CPUs that may be used and was passed over")
        }
    }
}
