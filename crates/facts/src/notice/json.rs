//! How a notice is read: `{"code": "NW101", "arguments": {...}}`, the code first, as we write it.
//!
//! The arguments are read from where they stand, once it is known whose they are. Serde's own way allows for arguments before the code, and has
//! code to read each of them from a copy (`docs/decisions/0038-build.md`).

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer,
};
use serde::de::{MapAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Notice;
use crate::contents::Contents;

/// Notices of one subject.
pub trait Subject: Sized {
    /// The notice whose identifier is read, and whose arguments may follow.
    fn read<'de, A: MapAccess<'de>>(coded: Coded<A>) -> Result<Self, A::Error>;
}

/// Reads a notice of one subject.
pub fn subject<'de, S: Subject, D: Deserializer<'de>>(deserializer: D) -> Result<S, D::Error> {
    struct Of<S>(PhantomData<S>);

    impl<'de, S: Subject> Visitor<'de> for Of<S> {
        type Value = S;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a notice")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<S, A::Error> {
            S::read(Coded::begun(map)?)
        }
    }

    deserializer.deserialize_map(Of(PhantomData))
}

impl<'de> Deserialize<'de> for Notice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        subject(deserializer)
    }
}

/// A notice of which the identifier is read.
pub struct Coded<A> {
    code: String,
    map: A,
}

impl<'de, A: MapAccess<'de>> Coded<A> {
    fn begun(mut map: A) -> Result<Self, A::Error> {
        match map.next_key::<String>()? {
            Some(key) if key == "code" => Ok(Coded { code: map.next_value()?, map }),
            Some(key) => Err(A::Error::custom(format_args!("found `{key}`, expected `code` first"))),
            None => Err(A::Error::missing_field("code")),
        }
    }

    pub fn is_one_of(&self, codes: &[&str]) -> bool {
        codes.contains(&self.code.as_str())
    }

    /// Of no subject.
    pub fn unknown<T>(&self) -> Result<T, A::Error> {
        Err(A::Error::custom(format_args!(
            "found the notice `{}`, which this version does not know",
            self.code
        )))
    }
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Coded<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Coded<A> {
    type Error = A::Error;
    type Variant = Arguments<A>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Arguments<A>), A::Error> {
        let variant = seed.deserialize(IntoDeserializer::<A::Error>::into_deserializer(self.code))?;
        Ok((variant, Arguments(self.map)))
    }
}

/// The arguments, which stand behind their key, or nothing.
pub struct Arguments<A>(A);

impl<'de, A: MapAccess<'de>> Arguments<A> {
    /// Up to their value.
    fn found(&mut self) -> Result<(), A::Error> {
        while let Some(key) = self.0.next_key::<String>()? {
            if key == "arguments" {
                return Ok(());
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::missing_field("arguments"))
    }

    /// What else stands there is of a later version.
    fn rest(mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Arguments<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        Arguments::rest(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(mut self, seed: T) -> Result<T::Value, A::Error> {
        self.found()?;
        let value = Contents(&mut self.0).newtype_variant_seed(seed)?;
        Arguments::rest(self.0).map(|()| value)
    }

    fn tuple_variant<V: Visitor<'de>>(mut self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.found()?;
        let value = Contents(&mut self.0).tuple_variant(length, visitor)?;
        Arguments::rest(self.0).map(|()| value)
    }

    fn struct_variant<V: Visitor<'de>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.found()?;
        let value = Contents(&mut self.0).struct_variant(fields, visitor)?;
        Arguments::rest(self.0).map(|()| value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MachineNotice, PlanNotice};
    use super::*;

    #[test]
    fn a_notice_is_read_whatever_stands_behind_it_and_refused_where_its_code_is_not_known() {
        let read = |text: &str| serde_json::from_str::<Notice>(text);
        let nodes = r#"{"code":"NW101","arguments":{"nodes":"0-3"},"later":[1,{}]}"#;
        let found = read(nodes).unwrap();
        assert!(
            matches!(&found, Notice::Plan(PlanNotice::NodesWithoutUsableCpus { nodes }) if nodes.to_string() == "0-3")
        );
        assert_eq!(serde_json::to_string(&found).unwrap(), r#"{"code":"NW101","arguments":{"nodes":"0-3"}}"#);
        for (text, why) in [
            (r#"{"code":"NW999","arguments":{}}"#, "`NW999`, which this version does not know"),
            (r#"{"arguments":{"nodes":"0-3"},"code":"NW101"}"#, "found `arguments`, expected `code` first"),
            (r#"{"code":"NW101"}"#, "missing field `arguments`"),
            (
                r#"{"code":"NW101","arguments":{"nodes":3}}"#,
                "invalid type: integer `3`, expected a string at line 1",
            ),
            ("{}", "missing field `code`"),
            ("7", "expected a notice"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(serde_json::from_str::<MachineNotice>(nodes).is_err(), "it is of another subject");
    }
}
