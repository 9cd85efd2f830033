//! Memory objects of a watched run, rank by rank: ranks that do the same stand together.

use numawise_facts::objects::AccessMethod;
use numawise_tables::objects::{ObjectRow, ObjectsOfRanks, RankObjects, ShareOfRanks};
use numawise_units::{Arrange, Ratio};
use serde_json::{Value, json as object};

use super::Shown;
use crate::amount::{many, small_share};
use crate::document::{
    Block, Cell, Column, Entry, Fact, Row, RowLimits, Section, Table, Text, list, section,
};
use crate::findings;
use crate::notice;
use crate::object::{each, reading};
use crate::objects::{self, words};

/// An object with less of the time of its ranks has no line.
const LEAST: f64 = 0.01;
/// Objects of each group that have one.
const OBJECTS: usize = 10;
/// The same where nothing is known of times: the largest.
const LARGEST: usize = 5;
/// Groups whose objects are described one by one.
const DESCRIBED: usize = 8;

/// What following them cost, and how it was found out what is used.
pub fn fact(shown: &Shown) -> Option<Fact> {
    let of = shown.objects?;
    let cost = |share: &Ratio| {
        let own = shown.run.objects.iter().map(|run| run.watching.own_time.clone());
        let own = own.reduce(|sum, one| sum.zip(one).map(|(sum, one)| sum + one));
        let own = own.and_then(|own| own.measured().copied());
        let own = own.map(|time| format!("; numawise's own threads {time}")).unwrap_or_default();
        format!("following them cost {} of the program's CPU time{own}", small_share(*share))
    };
    Some(Fact { name: "Objects", text: Text::of(&of.cost, cost), code: false })
}

/// Which groups there are, and the objects of each.
pub fn table(shown: &Shown, rows: usize) -> Option<Block> {
    let of = shown.objects?;
    let is_of_ranks = of.groups.iter().any(|group| !group.ranks.is_empty());
    let mut columns = vec![
        Column::text("object").named(),
        Column::number("time"),
        Column::number("size"),
        Column::text("allocated"),
        Column::text("lies on"),
        Column::text("first touch").expendable(3),
        Column::text("used from").expendable(2),
        Column::number("remote").expendable(1),
    ];
    let has_findings = of.groups.iter().any(|group| !group.tables.findings.is_empty());
    if has_findings {
        columns.push(Column::text("findings"));
    }
    if is_of_ranks {
        columns.insert(0, Column::text("ranks"));
    }
    let lines = of.groups.iter().flat_map(|group| {
        let rows = group.tables.rows.iter().enumerate();
        let mut shown: Vec<(usize, &ObjectRow)> = rows.filter(|(k, row)| has_line(group, *k, row)).collect();
        let time = |k: usize| group.times.get(k).and_then(|of| of.measured()).map_or(0.0, |of| of.value.0);
        shown.arrange_by(|(one, _), (other, _)| time(*other).total_cmp(&time(*one)));
        shown.into_iter().take(OBJECTS).map(move |(k, row)| line(group, k, row, (is_of_ranks, has_findings)))
    });
    let most = Some(RowLimits { terminal: rows, html: 300, rest: "the rest is in --json" });
    let table = Table { columns, rows: lines.collect(), most };
    let mut blocks = vec![Block::Table(table), Block::Legend(legend(of, is_of_ranks).into())];
    blocks.extend(withheld(of));
    Some(section("objects", "Memory objects", blocks))
}

fn has_line(group: &ObjectsOfRanks, k: usize, row: &ObjectRow) -> bool {
    let has_finding = group.tables.findings.iter().any(|of| of.row == k);
    match group.times.get(k).and_then(|time| time.measured()) {
        Some(share) => has_finding || share.value.0 >= LEAST,
        None => k < LARGEST && words::size(row).measured().is_some(),
    }
}

fn line(group: &ObjectsOfRanks, k: usize, row: &ObjectRow, (is_of_ranks, has_findings): (bool, bool)) -> Row {
    let findings = group.tables.findings.iter().filter(|of| of.row == k);
    let findings: Vec<&str> = findings.map(|of| of.finding.id.code()).collect();
    let ranks = if group.ranks.is_empty() { "-".to_owned() } else { group.ranks.to_string() };
    let (times, shares) = (group.times.get(k), group.shares.get(k).copied().flatten());
    let time = times.map(|of| Text::of(of, |share| time(share.value, shares))).unwrap_or_default();
    let remote = row.used.clone().and_then(|used| used.remote);
    let cells: [Cell; 8] = [
        words::name(row).into(),
        time.into(),
        Text::of(&words::size(row), ToString::to_string).into(),
        words::place(&row.allocated).into(),
        Text::of(&row.pages, |nodes| words::nodes(nodes)).into(),
        Text::of(&row.first_touch, words::touched_by).into(),
        Text::of(&row.used, |used| words::nodes(&used.nodes)).into(),
        Text::of(&remote, |share| words::percent(*share)).into(),
    ];
    let findings = has_findings.then(|| findings.join(" ").into());
    is_of_ranks.then(|| ranks.into()).into_iter().chain(cells).chain(findings).collect()
}

/// `38 % to 44 %`, from the rank with the least to the one with the most; `41 %` where these are as good as the same.
fn time(of_all: Ratio, shares: Option<ShareOfRanks>) -> String {
    let ends = shares.map(|of| [words::percent(of.least.1), words::percent(of.most.1)]);
    match ends {
        Some([least, most]) if least != most => format!("{least} to {most}"),
        _ => words::percent(of_all),
    }
}

fn legend(of: &RankObjects, is_of_ranks: bool) -> String {
    let method = of.groups.first().and_then(|group| group.run.watching.time.measured());
    let what = match method.map_or(AccessMethod::Waited, |time| time.method) {
        AccessMethod::Waited => "share of the time in which threads waited for memory",
        AccessMethod::Passes => "share of the accesses in loops",
    };
    if !is_of_ranks {
        return format!("time: {what}, by samples of their instructions");
    }
    let alike = if of.groups.iter().any(|group| group.ranks.len() > 1) {
        ". Ranks that do the same share a row: the least and the most of their times, the rest from one of them"
    } else {
        ""
    };
    format!("time: {what}, of each rank's own, by samples of their instructions{alike}")
}

/// Why no times are said of some.
fn withheld(of: &RankObjects) -> Option<Block> {
    let missing = of.groups.iter().filter_map(|group| {
        let reason = group.times.iter().find_map(|of| of.reason())?;
        Some(Text::from(format!("{}: {reason}", capital_name(group))))
    });
    let lines: Vec<Text> = missing.take(OBJECTS).collect();
    (!lines.is_empty()).then_some(Block::List(lines))
}

/// `Ranks 0-3`, `Rank 2`; of no ranks the program.
fn capital_name(group: &ObjectsOfRanks) -> String {
    match group.ranks.len() {
        0 => "All processes".to_owned(),
        1 => format!("Rank {}", group.ranks),
        _ => format!("Ranks {}", group.ranks),
    }
}

fn of_ranks(group: &ObjectsOfRanks) -> String {
    match group.ranks.len() {
        0 => String::new(),
        1 => format!(" of rank {}", group.ranks),
        _ => format!(" of ranks {}", group.ranks),
    }
}

/// The objects of each group one by one, with the lines of the program and what to do.
pub fn one_by_one(shown: &Shown) -> Vec<Block> {
    let Some(of) = shown.objects else { return Vec::new() };
    let group = |group: &ObjectsOfRanks| {
        let part = part(group);
        let blocks = match objects::described(&part)? {
            Block::Section(Section { blocks, .. }) => blocks,
            other => vec![other],
        };
        let title = match group.ranks.len() {
            0 => "Object details".to_owned(),
            1 => format!("Objects of rank {}", group.ranks),
            _ => {
                let like = group.like.map(|rank| rank.to_string()).unwrap_or_default();
                format!("Objects of ranks {}, as they are on rank {like}", group.ranks)
            }
        };
        Some(Block::Section(Section { id: None, title, blocks }))
    };
    let mut blocks: Vec<Block> = of.groups.iter().filter_map(group).take(DESCRIBED).collect();
    let left_out = of.groups.len().saturating_sub(DESCRIBED);
    if left_out > 0 {
        let text = format!("{} more of ranks that differ: --json has them.", many(left_out as u64, "group"));
        blocks.push(Block::Legend(text.into()));
    }
    blocks.extend(list("objects-notices", "Notes on the objects", &notices(shown)));
    blocks
}

/// What was to be said of following, once for all ranks.
fn notices(shown: &Shown) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in shown.run.objects.iter().flat_map(|run| notice::texts(&run.header.notices)) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

fn part(group: &ObjectsOfRanks) -> objects::Shown<'_> {
    objects::Shown { run: &group.run, tables: &group.tables, record: None }
}

/// Findings of objects, with the ranks that they are of.
pub fn findings(shown: &Shown) -> Vec<Entry> {
    let groups = shown.objects.into_iter().flat_map(|of| &of.groups);
    let all = groups.flat_map(|group| group.tables.findings.iter().map(move |of| (group, of)));
    let entry = |(group, of): (&ObjectsOfRanks, &numawise_tables::objects::ObjectFinding)| {
        let steps = of.finding.advice.iter().map(|step| objects::cure(&part(group), of, step));
        Entry {
            code: of.finding.id.code(),
            title: title(group, of),
            parts: vec![("seen", findings::evidence_of_run(&of.finding)), ("to do", steps.collect())],
        }
    };
    all.map(entry).collect()
}

/// The same as lines, each with its code.
pub fn lines(shown: &Shown) -> Vec<Text> {
    let line = |of: Entry| {
        let seen = of.parts.first().and_then(|(_, seen)| seen.first());
        let seen = seen.map(|seen| format!(": {seen}")).unwrap_or_default();
        Text::from(format!("{} {}{seen}", of.code, of.title))
    };
    findings(shown).into_iter().map(line).collect()
}

fn title(group: &ObjectsOfRanks, of: &numawise_tables::objects::ObjectFinding) -> String {
    let name = group.tables.rows.get(of.row).map(words::name).unwrap_or_default();
    format!("{}: {name}{}", findings::title(of.finding.id), of_ranks(group))
}

/// Null where objects were not followed.
pub fn json(shown: &Shown) -> Value {
    let Some(of) = shown.objects else { return Value::Null };
    object!({
        "cost_percent": reading(&of.cost, |share| object!(100.0 * share.0)),
        "groups": each(&of.groups, group),
        "notices": shown.run.objects.iter().flat_map(|run| &run.header.notices).map(notice::json).collect::<Vec<_>>(),
    })
}

fn group(of: &ObjectsOfRanks) -> Value {
    let mut value = objects::part(&part(of));
    value["ranks"] = if of.ranks.is_empty() { Value::Null } else { of.ranks.to_string().into() };
    value["like"] = object!(of.like);
    value["host"] = object!(of.run.header.host.hostname);
    if let Some(objects) = value["objects"].as_array_mut() {
        for (value, (time, share)) in objects.iter_mut().zip(of.times.iter().zip(&of.shares)) {
            value["memory_time_share_of_all"] = reading(time, objects::share);
            let end =
                |(rank, share): (numawise_units::Rank, Ratio)| object!({ "rank": rank, "share": share });
            value["share_of_ranks"] = share
                .map_or(Value::Null, |share| object!({ "least": end(share.least), "most": end(share.most) }));
        }
    }
    value
}
