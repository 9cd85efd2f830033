//! Whether the system has the pages that a run asks for.

use numawise_facts::notice::LaunchNotice;
use numawise_facts::{Notice, PageSize};
use numawise_linux::{Roots, memory};

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

/// What keeps a run from the pages that it asks for, or from some of them.
pub fn problem(roots: &Roots, pages: PageSize) -> Option<Notice> {
    let notice = match pages {
        PageSize::Default | PageSize::Small => return None,
        PageSize::Thp => match memory::transparent_huge_pages(roots) {
            Ok(choice) if choice != "never" => return None,
            Ok(_) => {
                LaunchNotice::TransparentHugePagesOff { file: memory::TRANSPARENT_HUGE_PAGES.to_owned() }
            }
            Err(error) => LaunchNotice::TransparentHugePagesMissing { problem: error.to_string() },
        },
        PageSize::Huge => match memory::huge_pages_to_be_had(roots) {
            Ok(1..) => return None,
            Ok(0) => LaunchNotice::NoHugePages { folder: memory::HUGE_PAGES.to_owned() },
            Err(error) => LaunchNotice::HugePagesMissing { problem: error.to_string() },
        },
    };
    Some(notice.into())
}
