use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// The file under a log. Tests put a disk there that loses power.
pub(crate) trait Storage: fmt::Debug + Send + Sync {
    fn length(&self) -> io::Result<u64>;
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// What was written before is on the disk when this returns.
    fn sync(&self) -> io::Result<()>;
    fn cut(&self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(bytes, at)
    }

    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}
