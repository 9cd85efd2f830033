//! The words by which numawise places a program as a point of a study has it.

use std::ffi::OsString;

use numawise_facts::{
    Argument, CpuChoice, MemoryRequest, Order, PageSize, PlacementRequest, Strategy, ThreadBinding,
};
use numawise_session::launched::chooses_cpus;

use crate::files::own_file;

/// The options of `numawise run` for a request, in the order in which people type them.
pub fn options(request: &PlacementRequest) -> Vec<String> {
    let PlacementRequest { strategy, binding, cpus, nodes, memory, pages, choice, threads, .. } = request;
    let mut words = Vec::new();
    if *strategy != Strategy::Explicit {
        words.push(format!("--place {strategy}"));
    }
    words.extend(cpus.as_ref().map(|cpus| format!("--cpus {cpus}")));
    words.extend(nodes.as_ref().map(|nodes| format!("--nodes {nodes}")));
    let CpuChoice { order, step, efficient_cores, .. } = choice;
    if *order != Order::default() {
        words.push(format!("--order {order}"));
    }
    if step.get() > 1 {
        words.push(format!("--step {step}"));
    }
    if *efficient_cores {
        words.push("--efficient-cores".to_owned());
    }
    if *memory != MemoryRequest::Default {
        words.push(format!("--memory {memory}"));
    }
    if *pages != PageSize::Default {
        words.push(format!("--page-size {pages}"));
    }
    words.extend(threads.map(|threads| format!("--threads {threads}")));
    match binding {
        ThreadBinding::Pinned => words.push("--pin".to_owned()),
        // A strategy pins unless it is told otherwise.
        ThreadBinding::Free if !matches!(strategy, Strategy::None | Strategy::Explicit) => {
            words.push("--no-pin".to_owned());
        }
        ThreadBinding::Free => {}
    }
    words
}

/// The numawise of each rank that a launcher starts, put before the program. Where CPUs were asked for, those that the launcher has chosen do not
/// count.
pub fn rank_words(request: &PlacementRequest, is_asked: bool) -> Vec<Argument> {
    let rebind = (is_asked && chooses_cpus(request)).then(|| "--rebind".to_owned());
    let options = rebind.into_iter().chain(options(request));
    let words = options.flat_map(|option| option.split(' ').map(OsString::from).collect::<Vec<_>>());
    let begin = [own_file(), "run".into()];
    begin.into_iter().chain(words).chain(["--".into()]).map(Argument).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_the_request_says() {
        let free = PlacementRequest { threads: Some(4), ..PlacementRequest::as_the_os_does() };
        let of = |request: &PlacementRequest| {
            let words = rank_words(request, request.strategy != Strategy::Explicit);
            words[2..].iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&free), "--place none --threads 4 --");
        let shares = PlacementRequest {
            strategy: Strategy::Explicit,
            cpus: Some("0-7".parse().unwrap()),
            ..free.clone()
        };
        assert_eq!(of(&shares), "--cpus 0-7 --threads 4 --");
        let semi = PlacementRequest { strategy: Strategy::Semi, ..free.clone() };
        assert_eq!(of(&semi), "--rebind --place semi --threads 4 --no-pin --");
        let pinned = PlacementRequest {
            binding: ThreadBinding::Pinned,
            memory: "bind:0-1".parse().unwrap(),
            choice: CpuChoice { order: Order::Compact, efficient_cores: true, ..CpuChoice::default() },
            ..semi
        };
        assert_eq!(
            of(&pinned),
            "--rebind --place semi --order compact --efficient-cores --memory bind:0-1 --threads 4 --pin --"
        );
    }
}
