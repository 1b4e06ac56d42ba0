use std::fmt;
use std::fs::File;
use std::io;

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

    #[cfg(unix)]
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, at)
    }

    #[cfg(windows)]
    fn read_at(&self, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(self, bytes, at)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            (at, bytes) = (at + read as u64, &mut bytes[read..]);
        }
        Ok(())
    }

    #[cfg(unix)]
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, at)
    }

    #[cfg(windows)]
    fn write_at(&self, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(self, bytes, at)?;
            (at, bytes) = (at + written as u64, &bytes[written..]);
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}
