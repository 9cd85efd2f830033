use numawise_facts::notice::LauncherMask;

use super::*;

fn visible(name: &'static str, value: &'static str) -> Result<VisibleGpus, String> {
    let environment = |asked: &str| (asked == name).then(|| OsString::from(value));
    VisibleGpus::of(&environment).map_err(|error| error.to_string())
}

fn gpu(runtime: GpuRuntime, number: u32) -> TaskGpu {
    TaskGpu { gpu: number, runtime, number }
}

#[test]
fn what_a_batch_system_left_is_all_that_is_shared_out() {
    let some = visible("CUDA_VISIBLE_DEVICES", "2, 3").unwrap();
    assert!(some.may(&gpu(GpuRuntime::Cuda, 3)) && !some.may(&gpu(GpuRuntime::Cuda, 0)));
    assert!(some.may(&gpu(GpuRuntime::Rocr, 0)), "of the other runtime nothing was said");
    let none = visible("ROCR_VISIBLE_DEVICES", "").unwrap();
    assert!(!none.may(&gpu(GpuRuntime::Rocr, 0)));
}

#[test]
fn names_that_only_a_library_knows_are_refused() {
    for (name, value) in [("CUDA_VISIBLE_DEVICES", "GPU-8932f937"), ("ZE_AFFINITY_MASK", "0.1,1")] {
        let error = visible(name, value).unwrap_err();
        assert!(error.contains(name) && error.contains(value) && error.contains("numbers"), "{error}");
    }
}

#[test]
fn a_rank_that_was_bound_says_that_it_does_not_know_the_others() {
    let mask = LauncherMask::Cgroup { reason: String::new() };
    let bound = LaunchNotice::RankIsBound { cpus: "0".parse().unwrap(), of: "0-3".parse().unwrap(), mask };
    let notes = [Notice::from(bound)];
    assert_eq!(of_bound_rank(true, &notes), Some(PlanNotice::GpusOfBoundRank.into()));
    assert_eq!(of_bound_rank(false, &notes), None);
    assert_eq!(of_bound_rank(true, &[]), None);
}
