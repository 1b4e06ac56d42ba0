use gridproof_tests::{Cluster, Coordinator, Worker, free_port};

/// A coordinator with its page, and two workers: programs of their own.
#[derive(Debug)]
pub struct Grid {
    cluster: Cluster,
    coordinator: Coordinator,
    workers: Vec<Worker>,
}

impl Grid {
    /// A search is under way from the start. Workers are back within a second after a restart.
    #[must_use]
    pub fn start(game: &'static str, extra: &[&str]) -> Self {
        let page = format!("--page=127.0.0.1:{}", free_port());
        let options = [&[page.as_str(), "--reconnect-grace", "1s"], extra].concat();
        let cluster = Cluster::new(game, &options);
        let coordinator = cluster.coordinator();
        let workers = ["pc-01", "pc-02"].map(|name| cluster.worker(name)).into();
        Self {
            cluster,
            coordinator,
            workers,
        }
    }

    /// The address that lets one visitor in. The log tells where it is, and not the address.
    #[must_use]
    pub fn entry(&self) -> String {
        let line = self.coordinator.wait_for_line("page at ");
        assert!(!line.contains("key="), "{line}");
        let address = std::fs::read_to_string(self.cluster.path("page.address"));
        address.expect("it is beside the store").trim().to_owned()
    }

    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// As a power failure would; its workers stay.
    pub fn kill_coordinator(&mut self) {
        self.coordinator.kill();
    }

    pub fn restart_coordinator(&mut self) {
        self.coordinator = self.cluster.coordinator();
    }

    /// Ends a worker.
    pub fn kill_worker(&mut self, number: usize) {
        self.workers[number].kill();
    }
}
