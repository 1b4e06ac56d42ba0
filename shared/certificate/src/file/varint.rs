use std::io::{self, Read, Write};

use super::FormatError;

pub(crate) fn write(mut value: u64, out: &mut impl Write) -> io::Result<()> {
    let mut bytes = [0u8; 10];
    let mut len = 0;
    loop {
        bytes[len] = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return out.write_all(&bytes[..=len]);
        }
        bytes[len] |= 0x80;
        len += 1;
    }
}

/// Reads a number in the shortest form it has, so that a content has one spelling only.
pub(crate) fn read(from: &mut impl Read) -> Result<u64, FormatError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = read_byte(from)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(FormatError::damaged("a number in it is malformed"))
}

pub(crate) fn read_u32(from: &mut impl Read) -> Result<u32, FormatError> {
    let value = read(from)?;
    u32::try_from(value).map_err(|_| FormatError::damaged(format!("{value} is out of range")))
}

pub(crate) fn read_byte(from: &mut impl Read) -> Result<u8, FormatError> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_and_have_one_spelling() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(value, &mut bytes).unwrap();
            assert_eq!(read(&mut &bytes[..]).unwrap(), value);
        }
        for overlong in [&[0x80, 0x00][..], &[0xff; 10], &[0x80; 11]] {
            assert!(matches!(
                read(&mut &overlong[..]),
                Err(FormatError::Damaged(_))
            ));
        }
        assert!(matches!(
            read(&mut &[0x80][..]),
            Err(FormatError::Truncated)
        ));
    }
}
