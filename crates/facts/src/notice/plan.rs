//! Notices of a plan: what a person should know of a placement before it is used.

use numawise_units::NodeSet;

super::notices! {
    /// NW1xx: of a plan.
    Plan: PlanNotice {
        /// Nodes that were asked for have no CPUs that may be used.
        "NW101" NodesWithoutUsableCpus { nodes: NodeSet },
    }
}
