//! One file a screen.

pub mod book;
pub mod login;
pub mod map;
pub mod orders;
pub mod proof;
pub mod report;
pub mod searches;
pub mod tree;
pub mod workbench;
pub mod workers;
