//! The memory of zones.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Long rows of words. A search makes and drops millions of zones: their memory is kept for those
/// that come next, as the allocator takes far longer for pieces of this size.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Limits(Vec<u32>);

/// More are given back to the allocator.
const KEPT: usize = 64;

thread_local! {
    static FREE: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
}

fn free() -> Vec<u32> {
    let mut memory = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    memory.clear();
    memory
}

impl Limits {
    pub(super) fn none(words: usize) -> Self {
        let mut memory = free();
        memory.resize(words, 0);
        Self(memory)
    }
}

impl Clone for Limits {
    fn clone(&self) -> Self {
        let mut memory = free();
        memory.extend_from_slice(&self.0);
        Self(memory)
    }
}

impl Drop for Limits {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0);
        // A thread that ends may have dropped what it kept.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < KEPT {
                free.push(memory);
            }
        });
    }
}

impl Deref for Limits {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl DerefMut for Limits {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}
