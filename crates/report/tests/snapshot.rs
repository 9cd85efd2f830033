//! A run that was watched as people and scripts see it.

mod sample;
mod watched;

#[path = "../../analyse/src/snapshot/sample.rs"]
mod activities;

use numawise_analyse::{RunParts, Surroundings, run_snapshot};
use numawise_report::document::{self, Style};
use numawise_report::snapshot::{document, json};
use watched::Watched;

fn html(of: &Watched) -> String {
    document::html(&document(&of.shown()))
}

/// What can be sent by mail, and what the memory of a browser has room for.
const LARGEST_PAGE: usize = 2_000_000;

fn keep(name: &str, page: &str) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join(name), page).unwrap();
}

#[test]
fn a_page_says_all_without_scripts() {
    let page = html(&Watched::of(watched::ranks(4, false)));
    keep("four.html", &page);
    assert!(page.len() < LARGEST_PAGE);
    for expected in [
        "MPI load balance",
        "NW010",
        "<svg class=\"bars\"",
        "Bytes from rank to rank",
        "exchange (app.c:120)",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn a_page_of_many_ranks_can_be_sent_by_mail() {
    let mut large = watched::ranks(10_000, true);
    // Many places and regions too.
    let more: Vec<_> = (0..2000).collect();
    for (k, process) in large.processes.iter_mut().enumerate().take(more.len()) {
        let numawise_facts::Reading::Measured(threads) = &mut process.threads else { continue };
        threads[0].calls[0].at = activities::at(0x4000 + k as u64);
    }
    let page = html(&Watched::of(large));
    keep("large.html", &page);
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
    assert!(
        page.contains("<svg class=\"map\" id=\"map-ranks-bytes\"")
            && page.contains("id=\"map-hosts-messages\"")
    );
    assert!(page.contains("A bar is the mean of 63 processes"), "bars are joined");
}

#[test]
fn a_terminal_of_eighty_columns_has_room() {
    for run in [watched::ranks(4, false), watched::hybrid(), watched::nothing()] {
        let of = Watched::of(run);
        for unicode in [false, true] {
            let style = Style { colour: false, unicode, width: 80 };
            let text = document::terminal(&document(&of.shown()), style);
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(long.is_empty(), "{long:?}");
            assert!(unicode || text.is_ascii(), "{text}");
        }
    }
}
