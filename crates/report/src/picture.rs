//! A machine as a page draws it: packages, nodes with their memory, shared caches and cores, and on them who runs where and whose
//! memory lies where. The table below a placement says the same.

mod cells;
mod memory;

use numawise_facts::Reading;
use numawise_tables::{
    CacheGroup, CpuPicture, MachinePicture, MemoryPicture, NodePicture, PackagePicture, PictureRole,
    PlacementPicture, PointPicture, SharedCache,
};
use numawise_units::{Bytes, Ratio, TaskId};

use crate::amount::many;
use crate::document::{
    Block, BoxLevel, Boxes, CellMark, Column, DrawnBox, Row, Section, Table, Text, capital,
};
use cells::Cells;

/// Tasks that are named beside their colour: as many as there are colours.
const NAMED: usize = crate::document::COLOURS as usize;

/// The drawing alone, for a page that has the tables.
pub fn drawing(picture: &MachinePicture) -> Block {
    let cells = Cells::of(picture);
    let memory: Vec<_> = picture.apart.iter().map(|one| memory::bar(picture, one)).collect();
    let mut boxes: Vec<DrawnBox> =
        picture.packages.iter().map(|package| package_box(picture, package, &cells)).collect();
    if !memory.is_empty() {
        boxes.push(DrawnBox {
            title: "memory that belongs to no single package".to_owned(),
            bars: memory,
            ..DrawnBox::default()
        });
    }
    Block::Boxes(Boxes {
        label: label(picture),
        key: key(picture),
        boxes,
        is_dense: cells.is_dense,
        caption: cells.caption(),
    })
}

/// The drawing of a placement, and the table that says the same.
pub fn blocks(picture: &MachinePicture) -> Vec<Block> {
    vec![drawing(picture), Block::Table(table(picture))]
}

/// The placements of points of a study, each under its name.
pub fn of_points(pictures: &[PointPicture]) -> Vec<Block> {
    let one = |of: &PointPicture| {
        let title = format!("{}: {}", role(of.role), of.point);
        Block::Section(Section { id: None, title, blocks: blocks(&of.picture) })
    };
    pictures.iter().map(one).collect()
}

fn role(role: PictureRole) -> &'static str {
    match role {
        PictureRole::Baseline => "What the others are compared with",
        PictureRole::Recommended => "To use from now on",
        PictureRole::Best => "The best",
        PictureRole::Worst => "The worst",
    }
}

fn label(picture: &MachinePicture) -> String {
    let nodes = |package: &PackagePicture| package.nodes.iter().filter(|node| !node.is_continued).count();
    let nodes: usize = picture.packages.iter().map(nodes).sum();
    let with_tasks = match &picture.placed {
        Some(placed) => format!(", with {} on them", many(placed.tasks.len() as u64, "task")),
        None => String::new(),
    };
    format!(
        "The machine as boxes: {} with CPUs, {}{with_tasks}; the tables say the same",
        many(nodes as u64, "node"),
        many(u64::from(picture.cpus), "CPU"),
    )
}

fn all_cpus(picture: &MachinePicture) -> impl Iterator<Item = &CpuPicture> {
    fn of_group(group: &CacheGroup) -> Vec<&CpuPicture> {
        let own = group.cores.iter().flat_map(|core| &core.cpus);
        own.chain(group.inside.iter().flat_map(of_group)).collect()
    }
    let groups = picture.packages.iter().flat_map(|package| &package.nodes).flat_map(|node| &node.groups);
    groups.flat_map(of_group)
}

/// What the colours and the patterns mean.
fn key(picture: &MachinePicture) -> Vec<(CellMark, String)> {
    let mut key = Vec::new();
    if let Some(PlacementPicture { tasks, .. }) = &picture.placed {
        let placed = || tasks.iter().filter(|(_, cpus)| !cpus.is_empty());
        for (task, cpus) in placed().take(NAMED) {
            let cpus = crate::names::clipped(&cpus.to_string(), 24);
            key.push((CellMark::Of(task.0), format!("task {task}: CPUs {cpus}")));
        }
        let more = placed().count().saturating_sub(NAMED);
        if more > 0 {
            key.push((
                CellMark::Nobody,
                format!("{}, in the same colours again", many(more as u64, "more task")),
            ));
        }
    }
    if all_cpus(picture).any(|cpu| cells::mark(cpu) == CellMark::Several) {
        key.push((CellMark::Several, "several tasks".to_owned()));
    }
    if all_cpus(picture).any(|cpu| !cpu.is_allowed) {
        key.push((CellMark::Forbidden, "may not be used".to_owned()));
    }
    key
}

fn package_box(picture: &MachinePicture, package: &PackagePicture, cells: &Cells) -> DrawnBox {
    let title = match package.index {
        Some(index) => format!("package {index}"),
        None if picture.packages.len() == 1 => String::new(),
        None => "CPUs of no known package".to_owned(),
    };
    DrawnBox {
        title,
        bars: package.memory.iter().map(|one| memory::bar(picture, one)).collect(),
        inside: package.nodes.iter().map(|node| node_box(picture, node, cells)).collect(),
        ..DrawnBox::default()
    }
}

fn node_box(picture: &MachinePicture, node: &NodePicture, cells: &Cells) -> DrawnBox {
    let title = match node.node {
        None => "CPUs of no known node".to_owned(),
        Some(id) if node.is_continued => format!("more CPUs of node {id}"),
        Some(_) => String::new(),
    };
    let about = match node.cpu_time.as_ref().and_then(Reading::measured) {
        Some(share) => format!("{} of the CPU time", share.percent()),
        None => String::new(),
    };
    let mut drawn = DrawnBox {
        title,
        about,
        level: BoxLevel::Middle,
        bars: node.memory.iter().map(|one| memory::bar(picture, one)).collect(),
        ..DrawnBox::default()
    };
    // One group without a cache is the node itself.
    match node.groups.as_slice() {
        [CacheGroup { cache: None, inside, cores }] if inside.is_empty() => {
            drawn.cells = cells.of_cores(cores)
        }
        groups => drawn.inside = groups.iter().map(|group| group_box(group, cells)).collect(),
    }
    drawn
}

fn group_box(group: &CacheGroup, cells: &Cells) -> DrawnBox {
    let about = group.cache.map_or_else(String::new, cache);
    // Caches of the same cores share a box.
    if let [inside] = group.inside.as_slice()
        && group.cores.is_empty()
    {
        let inside = group_box(inside, cells);
        return DrawnBox { about: format!("{about}, {}", inside.about), ..inside };
    }
    DrawnBox {
        about,
        level: BoxLevel::Inner,
        inside: group.inside.iter().map(|one| group_box(one, cells)).collect(),
        cells: cells.of_cores(&group.cores),
        ..DrawnBox::default()
    }
}

/// `L3 32.0 MiB`
fn cache(cache: SharedCache) -> String {
    let size = if cache.size == Bytes(0) { String::new() } else { format!(" {}", cache.size) };
    let beyond = if cache.is_shared_beyond { ", shared with others" } else { "" };
    format!("L{}{size}{beyond}", cache.level)
}

/// A row for the CPUs of each node in each package, and for each memory without CPUs.
fn table(picture: &MachinePicture) -> Table {
    let is_seen = picture.placed.as_ref().is_some_and(|placed| placed.seen.is_some());
    let mut columns = vec![
        Column::number("node"),
        Column::text("kind"),
        Column::number("memory"),
        Column::text("CPUs"),
        Column::text("who runs there"),
        Column::text("whose memory the plan puts there"),
    ];
    if is_seen {
        columns.extend([Column::number("memory seen"), Column::number("CPU time")]);
    }
    let mut rows = Vec::new();
    for package in &picture.packages {
        for node in &package.nodes {
            rows.push(row(
                picture,
                Some(node),
                node.memory.first().filter(|one| Some(one.node) == node.node),
            ));
            let others = node.memory.iter().filter(|one| Some(one.node) != node.node);
            rows.extend(others.map(|one| row(picture, None, Some(one))));
        }
        rows.extend(package.memory.iter().map(|one| row(picture, None, Some(one))));
    }
    rows.extend(picture.apart.iter().map(|one| row(picture, None, Some(one))));
    Table { columns, rows, most: None }
}

fn row(picture: &MachinePicture, node: Option<&NodePicture>, memory: Option<&MemoryPicture>) -> Row {
    let id = memory.map(|memory| memory.node).or(node.and_then(|node| node.node));
    let mut cells: Vec<Text> = vec![
        id.map_or_else(|| "unknown".to_owned(), |id| id.to_string()).into(),
        memory.map_or_else(String::new, |memory| memory.kind.to_string()).into(),
        memory.map_or_else(|| "".into(), |memory| Text::of(&memory.size, Bytes::to_string)),
        node.map_or_else(|| "none".to_owned(), |node| node.cpus.to_string()).into(),
        node.map_or_else(String::new, |node| who(picture, node)).into(),
        memory.map_or_else(String::new, |memory| memory::plans(memory).join("; ")).into(),
    ];
    if picture.placed.as_ref().is_some_and(|placed| placed.seen.is_some()) {
        let seen = memory.and_then(|memory| memory.seen.as_ref());
        cells.push(seen.map_or_else(|| "".into(), |seen| Text::of(seen, memory::seen)));
        let time = node.and_then(|node| node.cpu_time.as_ref());
        cells.push(time.map_or_else(|| "".into(), |time| Text::of(time, |share: &Ratio| share.percent())));
    }
    cells.into_iter().collect()
}

/// `task 0: 4 threads`, `tasks 0-3: 16 threads`, `threads of task 0 may move there`
fn who(picture: &MachinePicture, node: &NodePicture) -> String {
    let mut parts = Vec::new();
    if node.held > 0 {
        parts.push(format!("{}: {} held", tasks(&node.held_tasks), many(u64::from(node.held), "thread")));
    }
    if !node.moving_tasks.is_empty() {
        parts.push(format!("{}: threads may move there", tasks(&node.moving_tasks)));
    }
    let placed = picture.placed.iter().flat_map(|placed| &placed.tasks).any(|(_, cpus)| !cpus.is_empty());
    match (parts.is_empty(), placed) {
        (false, _) => parts.join("; "),
        (true, true) => "nobody".to_owned(),
        (true, false) => "as the operating system chooses".to_owned(),
    }
}

/// `task 3`, `tasks 0-3,7`, `tasks 0-126:2`: as lists of CPUs are written. Of a long list only the beginning is named.
fn tasks(all: &[TaskId]) -> String {
    const LONGEST: usize = 60;
    let mut parts = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let step = rest.get(1).and_then(|next| next.0.checked_sub(first.0)).unwrap_or(1);
        let is_next = |pair: &&[TaskId]| pair[1].0.checked_sub(pair[0].0) == Some(step);
        let length = 1 + rest.windows(2).take_while(is_next).count();
        let length = if step == 1 || length > 2 { length } else { 1 };
        let last = rest[length - 1];
        parts.push(match (length, step) {
            (1, _) => first.to_string(),
            (_, 1) => format!("{first}-{last}"),
            _ => format!("{first}-{last}:{step}"),
        });
        rest = &rest[length..];
    }
    let list = crate::names::clipped(&parts.join(","), LONGEST);
    format!("{} {list}", if all.len() == 1 { "task" } else { "tasks" })
}

/// A sentence of its own.
fn sentence(text: &str) -> String {
    format!("{}.", capital(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_listed_as_cpus_are() {
        let shown = |all: &[u32]| tasks(&all.iter().map(|task| TaskId(*task)).collect::<Vec<_>>());
        assert_eq!(shown(&[3]), "task 3");
        assert_eq!(shown(&[0, 1, 2, 3, 7]), "tasks 0-3,7");
        assert_eq!(shown(&[0, 2, 4, 6, 7]), "tasks 0-6:2,7");
        assert_eq!(shown(&[1, 5]), "tasks 1,5");
        assert_eq!(shown(&[9, 3, 3, u32::MAX]), "tasks 9,3,3,4294967295", "in any order, without a panic");
        let irregular: Vec<u32> = (0..1000).map(|k| k * k).collect();
        assert!(shown(&irregular).len() < 80);
    }
}
