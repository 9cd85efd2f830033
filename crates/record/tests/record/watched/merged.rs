//! Merged ranks.

mod sample;

use numawise_record::{Existing, RecordError, read_watched_run, save_watched_run};
use rusqlite::Connection;

pub use sample::merged_run;
use sample::merged_with_all;

use super::file;

#[test]
fn merged_ranks_come_back_as_they_were() {
    let (_folder, path) = file();
    save_watched_run(&path, &merged_with_all(), Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), merged_with_all());
    let sql = Connection::open(&path).unwrap();
    let parts: Vec<(String, u32)> = sql
        .prepare("SELECT part, count(*) FROM merged GROUP BY part")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected =
        ["call", "collective", "communicator", "host", "message", "ranks", "region", "site", "traffic"];
    assert_eq!(parts.iter().map(|(part, _)| part.as_str()).collect::<Vec<_>>(), expected);
    assert_eq!(parts[8].1, 2);
}

/// What is changed of merged ranks, and a part of what is said of it.
const BROKEN_MERGED: [(&str, &str, &str); 33] = [
    ("ranks", "json_set(value, '$.ranks', 0)", "1 to 67108864"),
    ("ranks", "json_set(value, '$.unmeasured', 3)", "no more than the ranks"),
    ("ranks", "json_set(value, '$.cpus', 1)", "one for each rank"),
    ("ranks", "json_set(value, '$.time.useful[0]', 9007199254740993000)", "ten years for each CPU"),
    ("ranks", "json_set(value, '$.time.useful[1]', 1000000000)", "1000000000"),
    ("ranks", "json_set(value, '$.mpi.histogram[0][0]', 976)", "a class of at most 975"),
    ("ranks", "json_set(value, '$.mpi.histogram[0][1]', 1)", "each rank in one class"),
    ("ranks", "json_set(value, '$.mpi.least[0][1]', 2)", "a rank below their number"),
    ("ranks", "json_remove(value, '$.mpi.least[0]')", "16 ranks, or all"),
    ("ranks", "json_set(value, '$.phases.unknown', 3)", "no more than the ranks"),
    ("ranks", "json_set(value, '$.phases.rows[0][1].open', 3)", "no more than the ranks"),
    ("ranks", "json_set(value, '$.phases.rows[0][1].cpus', 1)", "one for each rank"),
    ("ranks", "json_set(value, '$.phases.rows[0][1].calls', 9223372036854775807)", "phases"),
    ("ranks", "json_set(value, '$.placement.processes', 3)", "no more than the ranks"),
    ("ranks", "json_set(value, '$.placement.moved', 5)", "no more than the threads"),
    ("ranks", "json_set(value, '$.placement.hosts.box.parts', 3)", "a part for each rank"),
    ("ranks", "json_set(value, '$.placement.delayed.process.rank', 2)", "a rank below their number"),
    ("ranks", "json_set(value, '$.placement.all_shared', 2)", "64, or all where there are fewer"),
    ("ranks", "json_set(value, '$.placement.shared[0].further_ranks', 2)", "how many more there are"),
    ("ranks", "json_set(value, '$.placement.overfull[0].threads', 1)", "more threads than CPUs"),
    ("ranks", "json_set(value, '$.placement.remote.unknown', 2)", "each process once"),
    ("ranks", "json_set(value, '$.placement.remote.worst.elsewhere', 99999999)", "a part of its memory"),
    ("site", "json_set(value, '$[1].of.ranks', 3)", "no more than the ranks"),
    ("site", "json_set(value, '$[1].most[1]', 2)", "a rank below their number"),
    ("site", "json_set(value, '$[1].alone[0]', 9007199254740993000)", "ten years for each CPU"),
    (
        "collective",
        "json_set(value, '$[1][0].key', json('18446744073709551615'))",
        "in the order of their keys",
    ),
    ("collective", "json_set(value, '$[1][0].ranks', json('[]'))", "1 to 8 places"),
    ("collective", "json_set(value, '$[1][0].ranks[0].count', 9223372036854775807)", "at most 2^62"),
    ("message", "json_set(value, '$[1][1].key', 1)", "in the order of their keys"),
    ("message", "json_set(value, '$[1][0].send.time', json('18446744073709551615'))", "sent_messages"),
    ("traffic", "json_set(value, '$[0][0]', 128)", "a group below 128"),
    ("region", "json_set(value, '$[1].surrounding', json('[]'))", "the region and what it stands in"),
    ("host", "json_set(value, '$[1].cpus', 0)", "from 1 to all CPUs"),
];

#[test]
fn merged_ranks_that_make_no_sense_are_refused_with_the_place() {
    for (part, change, said) in BROKEN_MERGED {
        let (_folder, path) = file();
        save_watched_run(&path, &merged_with_all(), Existing::Stays).unwrap();
        let sql = Connection::open(&path).unwrap();
        let changed = sql
            .execute(&format!("UPDATE merged SET value = {change} WHERE part = '{part}' AND number = 0"), []);
        assert_eq!(changed.unwrap(), 1, "{part}: {change}");
        drop(sql);
        let text = read_watched_run(&path).unwrap_err().to_string();
        assert!(
            text.contains("the record is damaged") && text.contains("merged") && text.contains(said),
            "{change}: {text}"
        );
    }
}

#[test]
fn tables_of_merged_ranks_are_bounded() {
    let (_folder, path) = file();
    save_watched_run(&path, &merged_run(), Existing::Stays).unwrap();
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch(
        "WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 512)
         INSERT INTO merged SELECT 'site', n, json_set(value, '$[0]', n) FROM k, merged
         WHERE part = 'site' AND number = 0",
    )
    .unwrap();
    drop(sql);
    let text = read_watched_run(&path).unwrap_err().to_string();
    assert!(text.contains("no more rows than such a table has"), "{text}");
    let mut many = merged_run();
    let of = many.merged.as_mut().unwrap();
    let site = of.sites.values().next().unwrap().clone();
    of.sites.extend((0..512).map(|number| (number, site.clone())));
    let (_folder, path) = file();
    let refused = save_watched_run(&path, &many, Existing::Stays).unwrap_err();
    assert!(matches!(refused, RecordError::Unstorable(_)), "{refused}");
}
