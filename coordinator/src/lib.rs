//! The coordinator of a grid of workers that proves who wins.

pub mod core;
