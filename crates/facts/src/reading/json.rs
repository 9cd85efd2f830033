//! How a reading is read: a map that begins with `unavailable` is a reason, everything else is the value.
//!
//! Serde's `untagged` would do, but copies each reading into a tree first and has code for every type in it to be read from such trees: a fifth
//! of the program (`docs/decisions/0038-build.md`). Here a value is read from where it stands; only the first key is held.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Reading, Reason};
use crate::contents::Contents;

const UNAVAILABLE: &str = "unavailable";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Reading<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either(PhantomData))
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = Reading<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or {\"unavailable\": \"reason\"}")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Bool(value))).map(Reading::Measured)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Unsigned(value))).map(Reading::Measured)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Signed(value))).map(Reading::Measured)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Float(value))).map(Reading::Measured)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Text(value))).map(Reading::Measured)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        T::deserialize(Part::<E>::bare(Bare::Null)).map(Reading::Measured)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::deserialize(List(list)).map(Reading::Measured)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let first = map.next_key::<String>()?;
        if first.as_deref() == Some(UNAVAILABLE) {
            let unavailable: Reason = map.next_value()?;
            while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            return Ok(Reading::Unavailable { unavailable });
        }
        T::deserialize(Map { first, map }).map(Reading::Measured)
    }
}

/// A value that is neither a list nor a map.
enum Bare<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
}

struct Part<'a, E> {
    value: Bare<'a>,
    error: PhantomData<E>,
}

impl<'a, E> Part<'a, E> {
    fn bare(value: Bare<'a>) -> Self {
        Part { value, error: PhantomData }
    }
}

impl<'de, E: Error> Deserializer<'de> for Part<'_, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.value {
            Bare::Null => visitor.visit_unit(),
            Bare::Bool(value) => visitor.visit_bool(value),
            Bare::Unsigned(value) => visitor.visit_u64(value),
            Bare::Signed(value) => visitor.visit_i64(value),
            Bare::Float(value) => visitor.visit_f64(value),
            Bare::Text(value) => visitor.visit_str(value),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if matches!(self.value, Bare::Null) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        match self.value {
            Bare::Text(name) => visitor.visit_enum(IntoDeserializer::<E>::into_deserializer(name)),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct List<A>(A);

impl<'de, A: SeqAccess<'de>> Deserializer<'de> for List<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_seq(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// A map whose first key was read already.
struct Map<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Map<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Map<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// A variant with its contents: a map with one key.
impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Map<A> {
    type Error = A::Error;
    type Variant = Contents<A>;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Contents<A>), A::Error> {
        match self.next_key_seed(seed)? {
            Some(variant) => Ok((variant, Contents(self.map))),
            None => Err(A::Error::custom("found an empty map, expected one key")),
        }
    }
}
