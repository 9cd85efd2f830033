//! What a check tries beside placements, on a kernel whose switches are set for it: pages of the other size, fewer threads.

use std::time::Duration;

use serde_json::Value;

use crate::json;
use crate::probe::with_probe;

const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// More than the least memory for which pages of the other size are tried.
const PROGRAM: &str = "place_probe heap 80";

fn point<'a>(told: &'a Value, id: &str) -> Option<&'a Value> {
    told["points"].as_array().unwrap().iter().find(|point| point["id"] == id)
}

/// Huge pages are tried where the system gives them to who asks, small ones where it gives them to all, and where it gives none the
/// reason is said; no verdict rests on them. The repeats are asked for, so that no point is left out for want of time where the host is slow.
#[test]
fn emulated_checks_try_pages_of_the_other_size() {
    if !testbed::ready() {
        return;
    }
    let check = |choice: &str| {
        let options = "--json --fresh --seed 1 --threads 1 --repeats 5 --budget 40s";
        format!("echo {choice} > {THP}; numawise check {options} -o /root/{choice}.nw -- {PROGRAM}")
    };
    let machine = testbed::load("two-socket").unwrap();
    let checks = ["madvise", "always", "never"].map(check);
    let run = with_probe(&machine).limit(Duration::from_secs(900)).run(&checks).unwrap();
    let [madvise, always, never] = [0, 1, 2].map(|k| json(&run[k]));
    let pages = |told: &Value, id: &str| point(told, id).map(|point| point["levels"]["pages"].clone());
    assert_eq!(pages(&madvise, "huge-pages"), Some("thp".into()), "{}", run[0].stdout);
    assert_eq!(pages(&madvise, "small-pages"), None);
    assert_eq!(pages(&always, "small-pages"), Some("small".into()), "{}", run[1].stdout);
    assert_eq!(pages(&always, "huge-pages"), None);
    for told in [&madvise, &always] {
        let counted = |id: &str| told["effect"]["to"] == id;
        assert!(!counted("huge-pages") && !counted("small-pages"));
    }
    assert_eq!((pages(&never, "huge-pages"), pages(&never, "small-pages")), (None, None));
    let not_tried = never["not_tried"].to_string();
    assert!(not_tried.contains("huge pages") && not_tried.contains("only root"), "{not_tried}");
}

/// Who asks for more threads than CPUs is held against as many. How many were seen is not asked: samples are slow here, and runs short.
#[test]
fn emulated_checks_try_as_many_threads_as_cpus() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let program = "iso3dfd 64 64 64 2 64 64 16 {threads}";
    let options = "--json --fresh --seed 1 --repeats 5 --budget 60s --threads 16";
    let check = format!("numawise check {options} -- {program}");
    let run = with_probe(&machine).limit(Duration::from_secs(900)).run(&[check]).unwrap();
    let told = json(&run[0]);
    let threads = |id: &str| point(&told, id).map(|point| point["levels"]["threads"].clone());
    assert_eq!(threads("os"), Some(16.into()));
    assert_eq!(threads("fewer-threads"), Some(4.into()), "{}", run[0].stdout);
    let finding = told["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "NW033");
    if let Some(cure) = finding.map(|finding| &finding["cure"]).filter(|cure| !cure.is_null()) {
        assert_eq!(cure["threads"], 4);
    }
}
