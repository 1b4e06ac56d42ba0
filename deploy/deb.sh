#!/bin/sh
# Makes a Debian package of both programs, their units, manual pages and completions:
#
#   deploy/deb.sh
#
# It needs cargo-deb: cargo install cargo-deb. The package is in target/debian.
set -eu

case ${1-} in -h | --help)
    sed -n '2,/^set -eu$/{/^#/s/^# \{0,1\}//p;}' "$0"
    exit 0
    ;;
esac

cd -- "$(dirname -- "$0")/.."
cargo build --release -p gridproof -p gridproof-worker
target=${CARGO_TARGET_DIR:-target}
made=$target/deb
rm -rf "$made"
mkdir -p "$made/systemd" "$made/completions"
"$target/release/gridproof" man "$made/man"
"$target/release/gridproof" completions bash >"$made/completions/gridproof"
"$target/release/gridproof" completions zsh >"$made/completions/_gridproof"
for unit in deploy/systemd/*.service; do
    sed 's|/usr/local/bin/|/usr/bin/|' "$unit" >"$made/systemd/$(basename -- "$unit")"
done
cargo deb -p gridproof --no-build
