//! Hosts in network namespaces, joined by a bridge that this machine is on, too.

use std::process::{self, Command};

use crate::program::does;

/// The hosts, until it is dropped.
#[derive(Debug)]
pub struct Network {
    bridge: String,
    /// The first three numbers of every address.
    prefix: String,
    hosts: Vec<Host>,
}

/// A namespace with an address of its own, and a link to the bridge.
#[derive(Debug)]
pub struct Host {
    namespace: String,
    address: String,
    /// The link's end at the bridge, and the one at the host.
    ends: [String; 2],
}

/// Whether a host is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Up,
    Down,
}

impl Network {
    /// None where the system does not allow it. One for each process: it is named after it.
    #[must_use]
    pub fn of_hosts(count: usize) -> Option<Self> {
        let id = process::id();
        // A place of its own in a range that nobody routes.
        let prefix = format!("198.{}.{}", 18 + id / 256 % 2, id % 256);
        let mut network = Self {
            bridge: format!("gp{id}"),
            hosts: Vec::new(),
            prefix,
        };
        let bridge = &network.bridge;
        let here = format!("{}/24", network.here());
        let mut made = ip(&["link", "add", bridge, "type", "bridge"])
            && ip(&["address", "add", &here, "dev", bridge])
            && ip(&["link", "set", bridge, "up"]);
        for number in 1..=count {
            let host = Host {
                namespace: format!("gridproof-{id}-{number}"),
                address: format!("{}.{}", network.prefix, number + 1),
                ends: ["b", "h"].map(|end| format!("gp{id}{end}{number}")),
            };
            made = made && host.make(&network.bridge);
            network.hosts.push(host);
        }
        made.then_some(network)
    }

    /// This machine's address on the bridge.
    #[must_use]
    pub fn here(&self) -> String {
        format!("{}.1", self.prefix)
    }

    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }
}

impl Host {
    fn make(&self, bridge: &str) -> bool {
        let [near, far] = &self.ends;
        let address = format!("{}/24", self.address);
        ip(&["netns", "add", &self.namespace])
            && ip(&["link", "add", near, "type", "veth", "peer", far])
            && ip(&["link", "set", near, "master", bridge, "up"])
            && ip(&["link", "set", far, "netns", &self.namespace])
            && self.ip(&["address", "add", &address, "dev", far])
            && self.ip(&["link", "set", "lo", "up"])
            && self.ip(&["link", "set", far, "up"])
    }

    fn ip(&self, words: &[&str]) -> bool {
        ip(&[&["-n", &self.namespace], words].concat())
    }

    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn set_link(&self, link: Link) {
        let state = match link {
            Link::Up => "up",
            Link::Down => "down",
        };
        assert!(ip(&["link", "set", &self.ends[0], state]));
    }

    /// A command that starts a program on this host.
    #[must_use]
    pub fn command(&self, program: &Command) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace]);
        command.arg(program.get_program());
        command.args(program.get_args());
        command
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // What was never made cannot be deleted.
        for host in &self.hosts {
            let _ = ip(&["link", "delete", &host.ends[0]]);
            let _ = ip(&["netns", "delete", &host.namespace]);
        }
        let _ = ip(&["link", "delete", &self.bridge]);
    }
}

fn ip(words: &[&str]) -> bool {
    does("ip", words)
}
