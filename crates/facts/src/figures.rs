//! Structs of figures, each figure declared once: its field, its column in a record, and what becomes of it where several are put together,
//! follow from the list.

use numawise_units::{Bytes, Nanoseconds};

use crate::Reading;

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;

/// What a number is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    Nanoseconds,
    Bytes,
    Count,
}

/// A number of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureNumber {
    /// The name of its field.
    pub name: &'static str,
    /// The same with its unit, where it has a column.
    pub column: &'static str,
    pub unit: FigureUnit,
    pub value: Reading<u64>,
}

/// What a figure may be.
pub(crate) trait Figure: Sized {
    /// Its numbers, for whoever bounds or keeps them; nothing of what is bounded by itself.
    fn numbers(of: &Reading<Self>, see: impl FnMut(FigureUnit, Reading<u64>));
}

/// A figure that is one number.
pub(crate) trait Number: Figure {
    fn of(number: u64) -> Self;
}

macro_rules! numbers {
    ($($type:ty: $unit:ident, |$number:ident| $value:expr, $of:expr;)+) => {$(
        impl Figure for $type {
            fn numbers(of: &Reading<Self>, mut see: impl FnMut(FigureUnit, Reading<u64>)) {
                see(FigureUnit::$unit, of.as_ref().map(|$number| $value));
            }
        }

        impl Number for $type {
            fn of(number: u64) -> Self {
                $of(number)
            }
        }
    )+};
}

numbers! {
    u64: Count, |number| *number, std::convert::identity;
    Nanoseconds: Nanoseconds, |time| time.0, Nanoseconds;
    Bytes: Bytes, |bytes| bytes.0, Bytes;
}

/// A struct of [`Reading`]s. Of each: what it means, its name, its type, and a function of this module that makes one of two. `in columns`: all of
/// them are numbers, and have a column each in records.
macro_rules! figures {
    ($(#[$what:meta])* pub struct $name:ident in columns { $($figures:tt)+ }) => {
        $crate::figures::figures! { $(#[$what])* pub struct $name { $($figures)+ } }
        $crate::figures::figures! { @columns $name { $($figures)+ } }
    };
    ($(#[$what:meta])* pub struct $name:ident {
        $($(#[$meaning:meta])* $figure:ident: $type:ident = $together:ident,)+
    }) => {
        $(#[$what])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $($(#[$meaning])* pub $figure: $crate::Reading<$type>,)+
        }

        impl $name {
            /// Nothing is known, for one reason.
            pub fn unavailable(reason: impl Into<std::borrow::Cow<'static, str>>) -> Self {
                let reason = reason.into();
                $name { $($figure: $crate::Reading::unavailable(reason.clone()),)+ }
            }

            /// Both together.
            pub fn with(self, other: Self) -> Self {
                $name { $($figure: $crate::figures::$together(self.$figure, other.$figure),)+ }
            }

            /// All that are numbers.
            pub fn numbers(&self) -> Vec<$crate::FigureNumber> {
                let mut all = Vec::new();
                $($crate::figures::Figure::numbers(&self.$figure, |unit, value| all.push($crate::FigureNumber {
                    name: stringify!($figure),
                    column: concat!(stringify!($figure), $crate::figures::figures!(@unit $type)),
                    unit,
                    value,
                }));)+
                all
            }
        }
    };
    (@columns $name:ident { $($(#[$meaning:meta])* $figure:ident: $type:ident = $together:ident,)+ }) => {
        impl $name {
            /// From their columns.
            ///
            /// # Errors
            /// Where one cannot be read.
            pub fn from_columns<E>(
                mut read: impl FnMut(&'static str) -> Result<$crate::Reading<u64>, E>,
            ) -> Result<Self, E> {
                Ok($name {
                    $($figure: read(concat!(stringify!($figure), $crate::figures::figures!(@unit $type)))?
                        .map(<$type as $crate::figures::Number>::of),)+
                })
            }
        }
    };
    (@unit Nanoseconds) => { "_ns" };
    (@unit Bytes) => { "_bytes" };
    (@unit $other:ident) => { "" };
}
pub(crate) use figures;

/// A sum of which a part is missing is missing.
pub(crate) fn sum<T: Number>(one: Reading<T>, other: Reading<T>) -> Reading<T> {
    let number = |of: &Reading<T>| {
        let mut found = Reading::Measured(0);
        T::numbers(of, |_, value| found = value);
        found
    };
    number(&one).zip(number(&other)).map(|(one, other)| T::of(one.saturating_add(other)))
}

/// Of what is known the most.
pub(crate) fn most<T: Ord>(one: Reading<T>, other: Reading<T>) -> Reading<T> {
    if one.measured() < other.measured() { other } else { one }
}

/// The other one where the first is not known.
pub(crate) fn first_known<T>(one: Reading<T>, other: Reading<T>) -> Reading<T> {
    if one.measured().is_some() { one } else { other }
}

pub(crate) fn first<T>(one: Reading<T>, _: Reading<T>) -> Reading<T> {
    one
}

pub(crate) fn second<T>(_: Reading<T>, other: Reading<T>) -> Reading<T> {
    other
}
