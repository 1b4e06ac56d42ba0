//! What people type every day, as it is seen.

#[path = "../common/mod.rs"]
mod common;

mod endings;
mod failures;
mod helps;
mod inputs;
mod operator;
mod orders;
mod outputs;
mod reaching;
