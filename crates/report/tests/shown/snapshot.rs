//! A run that was watched as people and scripts see it.

use crate::activities;
use crate::watched;
use crate::watched::Watched;
use numawise_report::document::{self, Style};
use numawise_report::snapshot::{
    Compared, CsvTable, Shown, TABLES, compare_document, compare_json, csv, csv_table, document, json,
    summary,
};

fn html(of: &Watched) -> String {
    document::html(&document(&of.shown()))
}

/// What can be sent by mail, and what the memory of a browser has room for.
const LARGEST_PAGE: usize = 2_000_000;

/// For whoever wants to look at it.
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

/// The rows of a merged record are bounded; a page is also where they are not.
#[test]
fn a_page_of_a_quarter_of_a_million_rows_can_be_sent_by_mail() {
    let mut of = Watched::of(watched::ranks(200, true));
    let rows = of.tables.rows.clone();
    of.tables.rows = (0..262_144u32)
        .map(|k| {
            let mut row = rows[k as usize % rows.len()].clone();
            row.rank = numawise_facts::Reading::Measured(k);
            row.threads = numawise_facts::Reading::unavailable("made by hand");
            row
        })
        .collect();
    let page = html(&of);
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
    assert!(page.contains("\"of\":262144"), "how many there are is said");
}

/// Of 2,000 ranks some have a row; all else is of all.
#[test]
fn a_page_of_merged_ranks_says_of_how_many_it_is() {
    let of = Watched::of(watched::merged(watched::ranks(2000, true)));
    let in_full = of.run.processes.len();
    assert!(in_full < 120, "{in_full}");
    let page = html(&of);
    keep("merged.html", &page);
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
    for expected in [
        format!("{in_full} of 2000 ranks have a row"),
        "2000 ranks on 250 computers".to_owned(),
        "Median".to_owned(),
        "<svg class=\"map\" id=\"map-ranks-bytes\"".to_owned(),
        "16 neighbours in a row".to_owned(),
        "NW010".to_owned(),
        "ranks are merged without their memory by node".to_owned(),
    ] {
        assert!(page.contains(&expected), "{expected}");
    }
    assert!(!page.contains("id=\"map-hosts-bytes\""));
    let json: serde_json::Value =
        serde_json::from_str(&numawise_report::snapshot::json(&of.shown())).unwrap();
    assert_eq!(
        (
            &json["processes"]["counted"],
            &json["processes"]["in_full"],
            json["ranks"].as_array().unwrap().len()
        ),
        (&2000.into(), &in_full.into(), in_full)
    );
    assert_eq!(json["rank_spreads"].as_array().unwrap().len(), 3);
    let placement = &json["placement"];
    assert_eq!(
        (&placement["threads"], &placement["further_shared"]),
        (&2000.into(), &0.into()),
        "{placement}"
    );
    for missing in [&json["memory"]["nodes"], &json["mpi"]["volume"]["by_host"]] {
        assert!(missing["unavailable"].as_str().is_some_and(|why| why.contains("merged")), "{missing}");
    }
    assert_eq!(
        json["phases"]["rows"],
        serde_json::json!([]),
        "phases are merged, and these ranks named none"
    );
    assert_eq!(csv_table(&of.shown(), CsvTable::Ranks).lines().count(), in_full + 1);
}

#[test]
fn figures_of_merged_ranks_are_those_of_all_in_full() {
    let screens =
        [watched::hybrid(), watched::merged(watched::hybrid())].map(|run| screen(&Watched::of(run)));
    let judged = |text: &str| -> Vec<String> {
        let graded = ["  good ", "  fair ", "  bad "];
        text.lines()
            .filter(|line| graded.iter().any(|grade| line.contains(grade)))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(judged(&screens[0]), judged(&screens[1]), "{}", screens[1]);
}

#[test]
fn a_terminal_of_eighty_columns_has_room() {
    let merged = watched::merged(watched::ranks(300, true));
    for run in [watched::ranks(4, false), watched::hybrid(), watched::counted(), watched::nothing(), merged] {
        let of = Watched::of(run);
        for unicode in [false, true] {
            let style = Style { colour: false, unicode, width: 80 };
            for document in [document(&of.shown()), summary(&of.shown())] {
                let text = document::terminal(&document, style);
                let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
                assert!(long.is_empty(), "{long:?}");
                assert!(unicode || text.is_ascii(), "{text}");
            }
        }
    }
}

#[test]
fn where_the_time_of_cpus_is_not_known_the_part_without_a_thread_says_so() {
    let mut of = Watched::of(watched::hybrid());
    let text = |of: &Watched| {
        let style = Style { colour: false, unicode: true, width: 80 };
        document::terminal(&document(&of.shown()), style)
    };
    let said = "Shares are of the time that is known";
    let reason = "the begin of a rank was not noted";
    assert!(!text(&of).contains(said) && !html(&of).contains(said));
    of.tables.span = numawise_facts::Reading::unavailable(reason);
    for shown in [text(&of), html(&of)] {
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for expected in ["thread not alive", said, reason, "Of the time that is known: useful"] {
            assert!(words.contains(expected), "{expected}: {shown}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&json(&of.shown())).unwrap();
    assert_eq!(json["without_thread_seconds"]["unavailable"], reason);
}

fn screen(of: &Watched) -> String {
    document::terminal(&summary(&of.shown()), Style { colour: false, unicode: true, width: 80 })
}

#[test]
fn a_summary_is_one_screen_and_each_judgement_has_its_threshold() {
    let text = screen(&Watched::of(watched::hybrid()));
    // The last one says why there are no counters.
    assert!(text.lines().count() <= 51, "{text}");
    let graded = ["good ", "fair ", "bad "];
    let judged: Vec<&str> =
        text.lines().filter(|line| graded.iter().any(|grade| line.contains(&format!("  {grade}")))).collect();
    assert!(judged.len() >= 10, "{text}");
    for line in judged {
        let sources = [", POP", ", numawise", ", Intel", ", perf"];
        assert!(sources.iter().any(|source| line.contains(source)), "{line}");
    }
    assert!(
        text.trim_end().lines().last().unwrap().contains("numawise report run.nw --html report.html"),
        "{text}"
    );
}

#[test]
fn what_is_to_be_typed_next_is_quoted_and_does_not_overwrite_a_record() {
    let of = Watched::of(watched::hybrid());
    let next = |record: Option<&str>| {
        let shown = Shown { record, ..of.shown() };
        document::terminal(&summary(&shown), Style { colour: false, unicode: true, width: 80 })
    };
    assert!(next(Some("my run's.nw")).contains(r"numawise report 'my run'\''s.nw' --html report.html"));
    // 2025-01-01 00:00:00 UTC
    let kept = next(None);
    assert!(kept.contains("numawise snapshot --output run-20250101000000.nw -- mpirun -n 2 ./app"), "{kept}");
}

#[test]
fn a_cure_that_is_a_placement_is_typed_around_the_launcher() {
    let mut of = Watched::of(watched::ranks(2, false));
    let mut shared = of.tables.findings[0].clone();
    shared.finding.id = numawise_facts::FindingId::SharedCpus;
    of.tables.findings.insert(0, shared);
    let line = "numawise snapshot --place semi --threads 1 -- mpirun -n 2 ./app";
    assert!(html(&of).contains(line) && screen(&of).contains(line), "{}", screen(&of));
    // What binds it would undo the placement.
    for typed in ["taskset -c 0 mpirun -n 2 ./app", "taskset 1 mpirun -n 2 taskset --cpu-list 0 ./app"] {
        of.run.header.command.command = typed.split(' ').map(Into::into).collect();
        assert!(html(&of).contains(line) && screen(&of).contains(line), "{}", screen(&of));
    }
    for typed in ["numactl -C 0 mpirun -n 2 ./app", "mpirun -n 2 hwloc-bind core:0 ./app", "taskset -p 7"] {
        of.run.header.command.command = typed.split(' ').map(Into::into).collect();
        assert!(!screen(&of).contains("--place semi"), "{}", screen(&of));
    }
    // Words of other launchers are not understood, and a program that says itself where it is to run is left alone.
    for words in [["ibrun", "./app"], ["mpirun", "numawise"]] {
        of.run.header.command.command = words.map(Into::into).into();
        assert!(!screen(&of).contains("--place semi"), "{}", screen(&of));
    }
}

#[test]
fn fewer_threads_are_those_of_each_rank() {
    use numawise_facts::finding::{Advice, SystemAdvice, WatchedAdvice};
    let mut of = Watched::of(watched::ranks(2, false));
    let mut over = of.tables.findings[0].clone();
    over.finding.id = numawise_facts::FindingId::Oversubscribed;
    let two = (
        Advice::System(SystemAdvice::RunFewerThreads { threads: 2 }),
        Some("--threads 2 -- mpirun -n 2 ./app"),
    );
    let fewer_ranks = Advice::Watched(WatchedAdvice::FewerRanks { ranks: 1 });
    for (advice, typed) in [two, (fewer_ranks, None)] {
        over.finding.advice = vec![advice.into()];
        of.tables.findings = vec![over.clone()];
        match typed {
            Some(typed) => assert!(screen(&of).contains(typed), "{}", screen(&of)),
            None => assert!(!screen(&of).contains("--threads"), "{}", screen(&of)),
        }
    }
}

/// Cells of a line of CSV whose cells hold no line breaks.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    cells
}

#[test]
fn tables_of_csv_have_a_row_for_each_and_the_reason_of_what_is_missing() {
    let of = Watched::of(watched::hybrid());
    let ranks = csv_table(&of.shown(), CsvTable::Ranks);
    let lines: Vec<Vec<String>> = ranks.lines().map(cells).collect();
    assert_eq!(lines.len(), 3, "{ranks}");
    let column = lines[0].iter().position(|name| name == "cpu_imbalance_seconds").unwrap();
    assert_eq!((lines[1][0].as_str(), lines[1][column].as_str()), ("0", "0.500000000"), "{ranks}");
    let traced = Watched::of(watched::traced());
    for (_, table) in TABLES {
        let text = csv_table(&traced.shown(), table);
        let widths: Vec<usize> = text.lines().map(|line| cells(line).len()).collect();
        assert!(widths.len() > 1 && widths.iter().all(|width| *width == widths[0]), "{table}: {text}");
    }
    let all = csv(&of.shown());
    assert!(
        all.starts_with("table,row,quantity,value,unit,missing\n")
            && all.lines().all(|line| cells(line).len() == 6)
    );
    assert!(
        all.contains("ranks,1,rank,1,,\n")
            && all.contains("regions,0,potential_gain_seconds,0.250000000,s,\n"),
        "{all}"
    );
    // Without OpenMP it has no efficiency, and none is not 0.
    let all = csv(&Watched::of(watched::ranks(2, false)).shown());
    let missing = all.lines().find(|line| line.contains(",value,,share,")).unwrap_or_else(|| panic!("{all}"));
    assert!(!cells(missing)[5].is_empty());
    assert_eq!(csv_table(&Watched::of(watched::nothing()).shown(), CsvTable::Ranks), "\n");
}

#[test]
fn the_page_of_csv_names_each_table_with_its_columns() {
    let page = include_str!("../../../../docs/formats/snapshot-csv.md");
    let of = Watched::of(watched::traced());
    for (name, table) in TABLES {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("no row of {name}"));
        let text = csv_table(&of.shown(), table);
        for column in text
            .lines()
            .next()
            .unwrap()
            .split(',')
            .filter(|name| *name != "missing" && !name.starts_with("cpu_"))
        {
            assert!(row.contains(&format!("`{column}`")), "{name}: {column}");
        }
    }
}

#[test]
fn two_runs_stand_side_by_side_and_no_difference_is_proven() {
    let (before, after) = (Watched::of(watched::hybrid()), Watched::of(watched::ranks(2, false)));
    let comparison = numawise_analyse::compare_snapshots(&before.tables, &after.tables);
    let sides = [
        Shown { record: Some("before.nw"), ..before.shown() },
        Shown { record: Some("after.nw"), ..after.shown() },
    ];
    let compared = Compared { sides, comparison: &comparison };
    let document = compare_document(&compared);
    let text = document::terminal(&document, Style { colour: false, unicode: true, width: 80 });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "before.nw (first) and after.nw (second)",
        "none of them is proven",
        "MPI_Allreduce",
        "solve (app.c:30)",
        "went",
    ] {
        assert!(words.contains(expected), "{expected}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&compare_json(&compared)).unwrap();
    assert_eq!(
        (&json["is_proven"], &json["regions"][0]["second"]),
        (&false.into(), &serde_json::Value::Null)
    );
    assert!(
        json["shares"].as_array().unwrap().iter().any(|one| one["second"]["unavailable"].is_string()),
        "{json}"
    );
    let page = document::html(&document);
    assert!(page.contains("none of them is proven") && page.len() < LARGEST_PAGE);
}

/// The first screen, with one space between words.
fn words_of(of: &Watched) -> String {
    let text = document::terminal(&summary(&of.shown()), Style::plain());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn files_have_a_line_on_the_first_screen_from_a_thousandth_of_the_time_on_and_where_it_is_not_known() {
    let mut of = Watched::of(watched::hybrid());
    let line = "files, of CPU time";
    for (share, is_shown) in [(0.0, false), (0.0009, false), (0.001, true), (0.2, true)] {
        of.tables.files.share.value = numawise_facts::Reading::Measured(numawise_units::Ratio(share));
        assert_eq!(words_of(&of).contains(line), is_shown, "{share}");
    }
    of.tables.files.share.value = numawise_facts::Reading::unavailable("not seen");
    assert!(words_of(&of).contains(line));
}

#[test]
fn counters_are_on_the_first_screen_each_with_its_threshold() {
    let of = Watched::of(watched::counted());
    // Three lines with a judgement, and one for the others, where there is everything else too.
    assert!(screen(&of).lines().count() <= 54, "{}", screen(&of));
    let text = words_of(&of);
    // 27 thousand million operations, counted of two ranks in two seconds.
    for expected in [
        "Counters 13.5 GFLOP/s, vector 50.0 %, estimated (50.0 % of the time)",
        "cycles per instruction 2.00 fair up to 1.00, Intel",
        "memory bound 25.0 % fair up to 20.0 %, perf",
        "memory of other nodes 25.0 % fair up to 10.0 %, numawise",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let page = html(&of);
    for expected in
        ["one number alone 50.0 %, 512 bits 50.0 %", "20.0 GB/s behind cache 0", "75.0 % to its own node"]
    {
        assert!(page.contains(expected), "{expected}");
    }
    // Of whom it is stands there, and why it is not known.
    assert!(page.contains("Memory traffic of the computer, of all programs on it"));
    assert!(html(&Watched::of(watched::hybrid())).contains("the kernel has no monitor of memory bandwidth"));
    let value: serde_json::Value = serde_json::from_str(&json(&of.shown())).unwrap();
    assert_eq!(value["counters"]["cycles_per_instruction"], 2.0);
    assert_eq!(value["counters"]["processor"], "Intel Skylake-SP");
    assert_eq!(value["ranks"][1]["counters"]["flops_per_second"], 9e9);
    assert_eq!(value["judgements"]["memory_bound"]["text"], "fair (good up to 20.0 %, perf)");
    let rows = csv_table(&of.shown(), CsvTable::Counters);
    let second = rows.lines().nth(2).unwrap();
    assert!(second.contains(",9000000000,2.000000,0.250000,0.500000,0.250000,"), "{rows}");
}

#[test]
fn without_counters_one_line_says_why_and_what_helps() {
    use numawise_facts::activity::{CounterAccess, CounterObstacle};
    let mut run = watched::ranks(2, false);
    let of = Watched::of(run.clone());
    assert_eq!(
        words_of(&of).matches("Counters unavailable: no PMU in this virtual machine (needs a vPMU)").count(),
        1
    );
    assert!(!words_of(&of).contains("memory bound"));
    let value: serde_json::Value = serde_json::from_str(&json(&of.shown())).unwrap();
    assert!(value["counters"]["unavailable"].as_str().unwrap().contains("needs a vPMU"));
    run.header.counters = CounterAccess::NotOpened(CounterObstacle::Paranoid { level: 3 });
    let text = words_of(&Watched::of(run.clone()));
    assert!(text.contains("perf_event_paranoid is 3"), "{text}");
    assert!(text.contains("sysctl kernel.perf_event_paranoid=2"), "{text}");
    run.header.counters = CounterAccess::Opened { processor: None };
    let text = words_of(&Watched::of(run));
    assert_eq!(text.matches("Counters unavailable: rank 0: it is made by hand").count(), 1, "{text}");
}

#[test]
fn counters_of_two_runs_stand_side_by_side() {
    let (before, after) = (Watched::of(watched::counted()), Watched::of(watched::counted()));
    let comparison = numawise_analyse::compare_snapshots(&before.tables, &after.tables);
    let compared = Compared { sides: [before.shown(), after.shown()], comparison: &comparison };
    let text = document::terminal(&compare_document(&compared), Style::plain());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "cycles per instruction 2.00 fair 2.00 fair 1.00x",
        "floating-point operations 13.5 GFLOP/s 13.5 GFLOP/s",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let value: serde_json::Value = serde_json::from_str(&compare_json(&compared)).unwrap();
    assert_eq!(value["first_flops_per_second"], 13.5e9);
}

#[test]
fn a_run_that_did_not_end_well_says_so_first() {
    let mut of = Watched::of(watched::ranks(4, false));
    for (exit, expected) in [
        (numawise_facts::Exit::Code(3), "The program ended with status 3: "),
        (numawise_facts::Exit::Signal(11), "The program was ended by signal 11: "),
    ] {
        of.run.header.exit = exit;
        let json: serde_json::Value = serde_json::from_str(&json(&of.shown())).unwrap();
        let headline = json["headline"].as_str().unwrap();
        assert!(
            headline.starts_with(expected) && headline.ends_with("of the CPUs' time was useful"),
            "{headline}"
        );
    }
}

/// A page has room for so many calls; of more it draws what it draws without scripts, and says so.
#[test]
fn a_page_has_calls_one_by_one_unless_there_are_too_many() {
    let (holds, says) =
        ("<script type=\"application/octet-stream\">", "are too many for a page, which draws spans of time");
    let mut of = Watched::of(watched::traced());
    let with = html(&of);
    assert!(with.contains(holds) && !with.contains(says));
    let screen_with = screen(&of);
    let events = of.events.as_mut().unwrap();
    events.messages = vec![events.messages[0]; 750_000];
    let without = html(&of);
    assert!(!without.contains(holds) && without.contains("<figure class=\"drawing timeline\">"));
    assert!(without.contains(&format!(
        "1500029 calls, spans and ends of messages {says}; numawise report run.nw --json has their figures"
    )));
    assert_eq!(screen(&of), screen_with, "only a page says that");
    of.events = None;
    let nobody = html(&of);
    assert!(!nobody.contains(holds) && !nobody.contains(says));
}

#[test]
fn a_trace_says_who_waited_for_whom_and_why() {
    let of = Watched::of(watched::traced());
    let screen = screen(&of);
    for expected in [
        "Ranks waited in MPI 26.7 % of their time; 56.2 % of that because rank 0 worked",
        "rank 0",
        "late sender",
        "last of all ranks",
        "Critical path",
        "polls",
        "before MPI_Send in exchange (app.c:120), rank 0 computes nothing (no other rank makes this call)",
        "0.7 % longer",
        "Messages: how fast",
        "Collective calls by communicator",
        "marks below a rank, to 10.00 ms",
        "Placement in time",
        "burst of page faults       1    4096",
    ] {
        assert!(screen.contains(expected), "{expected}: {screen}");
    }
    assert_eq!(screen.matches("\nWhat if\n").count(), 1, "{screen}");
    // Of all threads together, each state has a line as long as a rank's, and no column of them is empty.
    let together = screen.split("all threads together").nth(1).expect("it is drawn");
    let lines = together.lines().skip(1).take_while(|line| line.contains('|'));
    let lines: Vec<Vec<char>> = lines
        .map(|line| line.chars().rev().take(80).collect())
        .filter(|line: &Vec<char>| line.len() == 80)
        .collect();
    assert!(lines.len() >= 2, "{together}");
    assert!((0..80).all(|column| lines.iter().any(|line| line[column] != ' ')), "{together}");
    let page = html(&of);
    keep("traced.html", &page);
    assert!(
        page.contains("<figure class=\"drawing timeline\" data-until=\"events\">")
            && page.contains("worked serially between MPI_Send in")
    );
    let json: serde_json::Value = serde_json::from_str(&json(&of.shown())).unwrap();
    let waits = json["trace"]["waits"].as_array().unwrap();
    let of = |kind: &str| waits.iter().find(|row| row["kind"] == kind).unwrap()["seconds"].as_f64().unwrap();
    assert!((of("late_sender") - 0.05).abs() < 1e-9 && (of("last_of_all") - 0.03).abs() < 1e-9, "{waits:?}");
}
