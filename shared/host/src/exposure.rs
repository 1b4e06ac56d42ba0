//! What may be reachable from other machines: the one place where that is decided.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// What protects an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guards {
    /// Nobody on the way can read or change what is sent.
    pub tls: Guard,
    /// Nobody without a token is served.
    pub tokens: Guard,
}

/// Whether one kind of protection is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It is.
    On,
    /// It is not.
    Off,
}

impl From<bool> for Guard {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// An address to listen on, as a command line has it.
pub fn read_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an address with its port, like 127.0.0.1:4100 or 0.0.0.0:4100")
}

/// Whether the operator has said --insecure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Insecure {
    /// They have not.
    #[default]
    Forbidden,
    /// They have.
    Accepted,
}

impl From<bool> for Insecure {
    fn from(said: bool) -> Self {
        if said {
            Self::Accepted
        } else {
            Self::Forbidden
        }
    }
}

/// Why the program does not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exposed {
    /// Others could connect.
    #[error(
        "{address} can be reached from other machines, and there is {missing}: make certificates with `gridproof cert` and tokens with `gridproof token new`, or listen on 127.0.0.1, or say --insecure if everyone on this network may give orders"
    )]
    Listening {
        /// Where they could.
        address: SocketAddr,
        /// What would keep them out.
        missing: Missing,
    },
    /// What is sent would leave the machine.
    #[error(
        "{host} is another machine, and there is {missing}: give the lab's certificate with --ca and a token with --token-file, or say --insecure if everyone between here and there may read and change what is sent"
    )]
    Connecting {
        /// Where it would go.
        host: String,
        /// What would protect it.
        missing: Missing,
    },
}

/// Which guards are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(Guards);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.0.tls, self.0.tokens) {
            (Guard::Off, Guard::Off) => "no TLS and no token",
            (Guard::Off, Guard::On) => "no TLS, so that tokens would go in plain text",
            (Guard::On, Guard::Off) => "no token",
            (Guard::On, Guard::On) => "nothing missing",
        })
    }
}

impl Guards {
    /// Nothing in force.
    pub const NONE: Self = Self {
        tls: Guard::Off,
        tokens: Guard::Off,
    };
    /// Everything in force.
    pub const ALL: Self = Self {
        tls: Guard::On,
        tokens: Guard::On,
    };

    /// For every address that the program is about to listen on.
    pub fn permit_listening(self, address: SocketAddr, insecure: Insecure) -> Result<(), Exposed> {
        if self.suffice(is_loopback(address.ip()), insecure) {
            return Ok(());
        }
        let missing = Missing(self);
        Err(Exposed::Listening { address, missing })
    }

    /// For the host, a name or an address, that the program is about to connect to.
    pub fn permit_connecting(self, host: &str, insecure: Insecure) -> Result<(), Exposed> {
        if self.suffice(is_loopback_name(host), insecure) {
            return Ok(());
        }
        let missing = Missing(self);
        let host = host.to_owned();
        Err(Exposed::Connecting { host, missing })
    }

    fn suffice(self, loopback: bool, insecure: Insecure) -> bool {
        loopback || insecure == Insecure::Accepted || self == Self::ALL
    }
}

/// An IPv4 loopback address stays one when it is written as IPv6.
fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn is_loopback_name(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening(guards: Guards, address: &str) -> Result<(), Exposed> {
        guards.permit_listening(address.parse().unwrap(), Insecure::Forbidden)
    }

    #[test]
    fn loopback_needs_no_guards() {
        for address in [
            "127.0.0.1:1",
            "127.8.8.8:1",
            "[::1]:1",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert_eq!(listening(Guards::NONE, address), Ok(()), "{address}");
        }
        for host in ["localhost", "127.0.0.1", "[::1]", "::1"] {
            let done = Guards::NONE.permit_connecting(host, Insecure::Forbidden);
            assert_eq!(done, Ok(()), "{host}");
        }
    }

    #[test]
    fn off_loopback_both_guards_are_needed() {
        let only_tls = Guards {
            tls: Guard::On,
            ..Guards::NONE
        };
        let only_tokens = Guards {
            tokens: Guard::On,
            ..Guards::NONE
        };
        for address in ["0.0.0.0:4100", "[::]:4100", "192.168.1.5:4100"] {
            for guards in [Guards::NONE, only_tls, only_tokens] {
                assert!(listening(guards, address).is_err(), "{address} {guards:?}");
            }
            assert_eq!(listening(Guards::ALL, address), Ok(()));
        }
        assert!(
            only_tls
                .permit_connecting("lab.example", Insecure::Forbidden)
                .is_err()
        );
        assert_eq!(
            Guards::ALL.permit_connecting("lab.example", Insecure::Forbidden),
            Ok(())
        );
    }

    #[test]
    fn a_name_that_only_begins_like_loopback_is_not() {
        for host in ["localhost.evil.example", "127.0.0.1.evil.example"] {
            assert!(
                Guards::NONE
                    .permit_connecting(host, Insecure::Forbidden)
                    .is_err()
            );
        }
    }

    #[test]
    fn insecure_is_said_and_not_guessed() {
        let address = "0.0.0.0:4100".parse().unwrap();
        assert_eq!(
            Guards::NONE.permit_listening(address, Insecure::Accepted),
            Ok(())
        );
    }

    #[test]
    fn the_error_says_what_is_missing_and_what_to_do() {
        let words = listening(Guards::NONE, "0.0.0.0:4100")
            .unwrap_err()
            .to_string();
        for part in [
            "0.0.0.0:4100",
            "no TLS and no token",
            "gridproof cert",
            "--insecure",
        ] {
            assert!(words.contains(part), "{part} in {words}");
        }
    }
}
