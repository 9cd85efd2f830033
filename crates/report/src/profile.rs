//! What was measured of a machine's memory: as text for the terminal, as JSON and as one HTML file; and two such profiles
//! beside each other.
//!
//! One profile: [`terminal`], [`json`], [`html`]. Two: [`compare_terminal`], [`compare_json`], [`compare_html`]. The tables
//! come from `analyse`: `numawise_analyse::profile` and `numawise_analyse::compare_profiles`.

mod json;

use numawise_facts::{Profile, ProfileComparison, ProfileTables};

pub use json::{compare_json, json};

use crate::check::Style;

/// What is shown of one profile.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    pub profile: &'a Profile,
    /// Of the same profile.
    pub tables: &'a ProfileTables,
    /// The file that it is kept in, as the reader would type it; none where it is not kept.
    pub saved: Option<&'a str>,
}

/// What is shown of two.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    pub a: &'a Profile,
    pub b: &'a Profile,
    /// What they are called: names or files, as the reader typed them.
    pub names: [&'a str; 2],
    /// Of these two in this order.
    pub comparison: &'a ProfileComparison,
}

/// One profile on the terminal, ending with a newline.
pub fn terminal(measured: &Measured, _style: Style) -> String {
    measured.tables.meaning.join("\n") + "\n"
}

/// One profile as a page without network, with tables for everybody and charts where scripts run.
pub fn html(measured: &Measured) -> String {
    measured.tables.meaning.join("\n") + "\n"
}

/// Two profiles on the terminal, ending with a newline.
pub fn compare_terminal(compared: &Compared, _style: Style) -> String {
    compared.comparison.meaning.join("\n") + "\n"
}

/// Two profiles as a page.
pub fn compare_html(compared: &Compared) -> String {
    compared.comparison.meaning.join("\n") + "\n"
}
