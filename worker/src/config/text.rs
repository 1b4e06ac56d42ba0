//! Values that are written the same in a file, in the environment and on the command line.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};

use super::values::{Busy, Cores, MaxBackoff, QuietFor};
use crate::availability::PauseWhen;
use crate::hours::Hours;
use crate::memory::MemoryLimit;
use crate::priority::Priority;

/// Takes numbers as well as text, since a file says `cores = 4`.
struct AsText<T>(PhantomData<T>);

impl<T> Visitor<'_> for AsText<T>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: fmt::Display,
{
    deserializer.deserialize_any(AsText(PhantomData))
}

macro_rules! written_as_text {
    ($($type:ty),+) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                from_text(deserializer)
            }
        }
    )+};
}

written_as_text!(
    Busy,
    Cores,
    Hours,
    MaxBackoff,
    MemoryLimit,
    PauseWhen,
    Priority,
    QuietFor
);
