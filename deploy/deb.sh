#!/bin/sh
# Makes a Debian package of both programs, their units, manual pages and completions:
#
#   deploy/deb.sh
#   sudo apt install ./target/debian/gridproof_*.deb
#   sudo apt remove gridproof
#
# It needs cargo-deb: cargo install cargo-deb. It builds the programs, unless --bin DIR says
# where they are.
set -eu

bin=''
case ${1-} in
-h | --help)
    sed -n '2,/^set -eu$/{/^#/s/^# \{0,1\}//p;}' "$0"
    exit 0
    ;;
--bin) bin=$(CDPATH='' cd -- "${2:?--bin needs a folder}" && pwd) ;;
'') ;;
*)
    echo "deb.sh: unknown option $1: --help lists them" >&2
    exit 1
    ;;
esac
command -v cargo-deb >/dev/null || {
    echo "deb.sh: cargo-deb is not here: cargo install cargo-deb" >&2
    exit 1
}

cd -- "$(dirname -- "$0")/.."
if [ -z "$bin" ]; then
    cargo build --release -p gridproof -p gridproof-worker
    bin=${CARGO_TARGET_DIR:-target}/release
fi
# What the package holds, as coordinator/cli/Cargo.toml lists it.
made=target/deb
rm -rf "$made"
mkdir -p "$made/bin" "$made/systemd" "$made/completions"
install -s -m 755 "$bin/gridproof" "$bin/gridproof-worker" "$made/bin"
"$bin/gridproof" man "$made/man" >/dev/null
for program in gridproof gridproof-worker; do
    "$bin/gridproof" completions bash "$program" >"$made/completions/$program"
    "$bin/gridproof" completions zsh "$program" >"$made/completions/_$program"
done
for unit in deploy/systemd/*.service; do
    sed 's|/usr/local/bin/|/usr/bin/|' "$unit" >"$made/systemd/$(basename -- "$unit")"
done
cargo deb -p gridproof --no-build --output target/debian/
