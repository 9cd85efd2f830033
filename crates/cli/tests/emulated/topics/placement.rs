//! What `numawise run` asks for is what the kernel reports: masks, policies, and the nodes of pages.

use testbed::CommandResult;

use crate::probe::lines;
use crate::shared::Topic;

pub const PLACEMENT: &str = "placement";

/// Says its mask, its policy and the nodes of 16 MiB that it touches.
const PROBE: &str = "place_probe self 16";

/// Options of `numawise run`; the mask, the policy and its nodes; the nodes of all pages.
pub type Plan = (&'static str, &'static str, &'static str, &'static str, &'static [u64]);

pub fn asked(plans: &[Plan]) -> Topic {
    Topic::new(PLACEMENT, plans.iter().map(|(options, ..)| format!("numawise run {options} -- {PROBE}")))
}

pub fn plans_are_what_the_kernel_reports(run: &[CommandResult], plans: &[Plan]) {
    for (result, (options, mask, policy, policy_nodes, nodes)) in run.iter().zip(plans) {
        let seen = lines(result).remove(0);
        let kernels = (seen.text("cpus"), seen.text("policy"), seen.text("nodes"));
        assert_eq!(kernels, (*mask, *policy, *policy_nodes), "{options}");
        assert_eq!(seen.share(nodes), 1.0, "{options}: {seen:?}");
        if options.contains("interleave") {
            let pages = seen.pages();
            let (most, all) = (*pages.values().max().unwrap() as f64, pages.values().sum::<u64>() as f64);
            let even = 1.0 / nodes.len() as f64;
            assert!(most / all < 1.1 * even, "{options}: {pages:?}");
        }
    }
}
