//! What a check tries and what it leaves out, by the kernel's switches, the program's threads and its memory. The repeats are asked for, so that
//! no point is left out for want of time where the host is slow; what a run has is seen by looks at it, and all runs together take minutes.

use std::time::Duration;

use serde_json::Value;
use testbed::GuestRun;

use super::beside_others;
use crate::json;
use crate::probe::with_probe;

const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// In a guest of its own.
fn asked(name: &str, commands: &[String]) -> GuestRun {
    let machine = testbed::load(name).unwrap();
    let guest = with_probe(&machine).limit(Duration::from_secs(3600));
    beside_others(|| guest.run(commands).unwrap())
}

const OPTIONS: &str = "--json --fresh --seed 1 --repeats 5 --budget 40s";

fn point<'a>(told: &'a Value, id: &str) -> Option<&'a Value> {
    told["points"].as_array().unwrap().iter().find(|point| point["id"] == id)
}

/// Of a program with more than the least memory for which pages of the other size are tried.
fn of_other_pages() -> [String; 3] {
    let check = |choice: &str| {
        format!(
            "echo {choice} > {THP}; numawise check {OPTIONS} --threads 1 -o {choice}.nw -- place_probe heap 80; \
             s=$?; echo never > {THP}; exit $s"
        )
    };
    ["madvise", "always", "never"].map(check)
}

/// Huge pages are tried where the system gives them to who asks, small ones where it gives them to all, and where it gives none the
/// reason is said; no verdict rests on them.
#[test]
#[ignore = "timing: whether the pages of a first run are seen"]
fn emulated_checks_try_pages_of_the_other_size() {
    if !testbed::ready() {
        return;
    }
    let run = asked("two-socket", &of_other_pages());
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
#[ignore = "timing: a check of forty runs, which take minutes"]
fn emulated_checks_try_as_many_threads_as_cpus() {
    if !testbed::ready() {
        return;
    }
    let check = format!("numawise check {OPTIONS} --threads 16 -- place_probe threads {{threads}} 0.01");
    let run = asked("two-socket", &[check]);
    let told = json(&run[0]);
    let threads = |id: &str| point(&told, id).map(|point| point["levels"]["threads"].clone());
    assert_eq!(threads("os"), Some(16.into()));
    assert_eq!(threads("fewer-threads"), Some(4.into()), "{}", run[0].stdout);
    let finding = told["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "NW033");
    if let Some(cure) = finding.map(|finding| &finding["cure"]).filter(|cure| !cure.is_null()) {
        assert_eq!(cure["threads"], 4);
    }
}

/// High-bandwidth memory is used where the program fits, and left alone where it does not.
#[test]
#[ignore = "timing: two checks of seventy runs, which take minutes"]
fn emulated_hbm_is_tried_only_when_the_program_fits() {
    if !testbed::ready() {
        return;
    }
    let check = |mib: u32| {
        format!(
            "numawise check {OPTIONS} --sampling 1% -o {mib}.nw -- dd if=/dev/zero of=/dev/null bs={mib}M count=1"
        )
    };
    let run = asked("hbm", &[32, 560].map(check));
    let (small, large) = (json(&run[0]), json(&run[1]));
    assert!(point(&small, "hbm").is_some(), "{}", run[0].stdout);
    assert!(point(&large, "hbm").is_none(), "{}", run[1].stdout);
    let hbm = large["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "NW005");
    let hbm = hbm.unwrap_or_else(|| panic!("no NW005 in {}", run[1].stdout));
    assert!(hbm["cost"]["unavailable"].is_string(), "what was not tried has no cost: {hbm}");
    assert!(hbm["evidence"].to_string().contains("the program needs"), "{hbm}");
}
