//! Grids: factors as they are typed, and the points that they span. Pure: no machine, no program, no clock.

mod constraint;
mod factor;
mod fill;
mod layout;
mod levels;
mod preset;
mod span;
mod template;

pub use constraint::{Constraint, ConstraintError};
pub use factor::{FactorName, GridFactor, GridLevel, NamedCommand};
pub use fill::{FILE as TEMPLATE_FILE, FillError, Filling, Template};
pub use layout::{GridBase, GridLayout, LayoutError, lay_out};
pub use levels::{NumberLevels, NumberLevelsError, WordLevels, WordLevelsError};
pub use preset::{ParsePresetError, Preset, PresetError};
pub use span::{Grid, GridError, GridPoint};
pub use template::{
    FOLDER as TEMPLATE_FOLDER, TemplateError, check as check_templates, check_named, placeholder,
    placeholders as template_placeholders,
};
