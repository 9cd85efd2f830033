//! What was measured of this machine, in words.

use numawise_facts::Reading;
use numawise_session::profiles::SavedProfile;
use numawise_units::Nanoseconds;

/// When and where a profile was kept: `2025-01-31 12:00:00 UTC (/home/me/.local/share/numawise/profiles/...json)`.
pub fn when_and_where(found: &SavedProfile) -> String {
    let path = found.path.display();
    match found.profile.header.taken {
        Reading::Measured(seconds) => {
            let moment = Nanoseconds(seconds.saturating_mul(1_000_000_000));
            format!("{} ({path})", numawise_report::check::moment(moment))
        }
        Reading::Unavailable { .. } => format!("an unknown date ({path})"),
    }
}
