//! NW044 and NW046: pages that nodes share, and pages that are small for what they hold.

use numawise_facts::finding::{Amount, Evidence, ObjectAdvice, ObjectQuantity, ObjectSubject};
use numawise_facts::objects::{HugePages, ObjectKind};
use numawise_facts::{Finding, FindingId, Reading};
use numawise_units::{Bytes, Ratio};

use super::{DIVIDED, SEVERAL, Seen, evidence};

/// Pages of the smallest size of which the largest TLB of a core keeps the addresses: 3,072 in the second level of AMD's Zen 4 (Software
/// Optimization Guide for the AMD Zen 4 Microarchitecture, 57647); others have 1,024 to 2,048.
const TLB_PAGES: u64 = 3072;
/// An object is much larger than that.
const MUCH_LARGER: u64 = 5;
/// Next to nothing of it is in huge pages.
const NEARLY_NONE: f64 = 0.05;

/// Nodes use the same pages of it, but not the same bytes of these.
pub fn shared(seen: &Seen<'_>) -> Option<Finding> {
    if !seen.has_several_users() {
        return None;
    }
    let pages = *seen.used.pages_of_nodes.measured()?;
    let lines = *seen.used.lines_of_nodes.measured()?;
    if pages.0 >= DIVIDED || lines.0 < DIVIDED {
        return None;
    }
    let whole = ObjectSubject::WholeObject;
    let mut all = vec![
        seen.time(),
        evidence(ObjectQuantity::PagesOfNodes, pages, whole.clone()),
        evidence(ObjectQuantity::LinesOfNodes, lines, whole),
    ];
    all.extend(seen.remote());
    let page = seen.run.watching.page_size.clone();
    Some(seen.finding(FindingId::ObjectPagesShared, all, vec![ObjectAdvice::SeparatePages { page }]))
}

/// Much of the time is spent on it, it is far larger than small pages let a core reach, and it has no huge ones though they are to be had.
/// Whether its accesses miss the TLB is not known without counters.
pub fn without_huge_pages(thp: &Reading<String>, seen: &Seen<'_>) -> Option<Finding> {
    let to_be_had = thp.measured().is_some_and(|mode| mode == "always" || mode == "madvise");
    let can_have = matches!(seen.row.kind, ObjectKind::Heap | ObjectKind::Mapped);
    if !to_be_had || !can_have || seen.time.value.0 < SEVERAL {
        return None;
    }
    let huge = *seen.row.huge.measured()?;
    let HugePages { page, resident, .. } = *seen.run.objects.get(seen.row.object)?.huge_pages.measured()?;
    let reach = Bytes(TLB_PAGES.saturating_mul(page.0));
    if huge.0 >= NEARLY_NONE || resident.0 / MUCH_LARGER < reach.0 {
        return None;
    }
    let whole = ObjectSubject::WholeObject;
    let size = Evidence {
        value: Reading::Measured(Amount::Bytes(resident)),
        of: Some(Amount::Bytes(reach)),
        ..evidence(ObjectQuantity::SizeOfObject, Ratio(1.0), whole.clone())
    };
    let all = vec![seen.time(), size, evidence(ObjectQuantity::HugePagesOfObject, huge, whole)];
    let from_outside = seen.row.kind == ObjectKind::Heap;
    Some(seen.finding(
        FindingId::ObjectWithoutHugePages,
        all,
        vec![ObjectAdvice::UseHugePages { from_outside }],
    ))
}
