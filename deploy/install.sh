#!/bin/sh
# Puts Gridproof on this machine and starts it.
#
#   sudo ./install.sh worker --coordinator https://grid.lab:4100 --ca ca.pem --token pc-07.token
#   sudo ./install.sh coordinator --name grid.lab
#   sudo ./install.sh remove
#
# --bin DIR     where gridproof and gridproof-worker are [default: beside this script, or in
#               target/release]
# --hours TEXT  when a worker may work [default: 22:00-07:00,weekend]
# --root DIR    install into this folder instead of /, and start nothing: for images and tests
set -eu

SHARE=/usr/local/share

say() { printf '%s\n' "$*"; }
die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# The lines at the top of this script are its help.
help() {
    sed -n '2,/^set -eu$/{/^#/s/^# \{0,1\}//p;}' "$0"
    exit 0
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
what=${1-}
case $what in -h | --help) help ;; esac
[ $# -gt 0 ] && shift
root='' bin='' coordinator='' ca='' token='' names='' hours='22:00-07:00,weekend'
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || die "$1 needs a value"
    case $1 in
    --root) root=$2 ;;
    --bin) bin=$2 ;;
    --coordinator) coordinator=$2 ;;
    --ca) ca=$2 ;;
    --token) token=$2 ;;
    --hours) hours=$2 ;;
    --name) names="$names $2" ;;
    *) die "unknown option $1: --help lists them" ;;
    esac
    shift 2
done
[ -n "$root" ] || [ "$(id -u)" = 0 ] || die "run it as root, with sudo"

# A folder that is being filled, not a machine that runs.
live() { [ -z "$root" ]; }

find_program() {
    for folder in ${bin:+"$bin"} "$here" "$here/../target/release"; do
        if [ -x "$folder/$1" ]; then
            say "$folder/$1"
            return
        fi
    done
    die "$1 is not here: build it with 'cargo build --release --workspace', or say --bin DIR"
}

put_program() {
    program=$(find_program "$1")
    install -D -m 755 "$program" "$root/usr/local/bin/$1"
}

# The program writes its own manual pages and completions.
put_help() {
    man=$root$SHARE/man/man1 bash=$root$SHARE/bash-completion/completions
    install -d "$man" "$bash" "$root$SHARE/zsh/site-functions"
    "$program" man "$man" >/dev/null
    for name in gridproof gridproof-worker; do
        "$program" completions bash $name >"$bash/$name"
        "$program" completions zsh $name >"$root$SHARE/zsh/site-functions/_$name"
    done
}

put_unit() {
    install -D -m 644 "$here/systemd/$1" "$root/etc/systemd/system/$1"
}

start() {
    live || return 0
    systemctl daemon-reload
    systemctl enable "$1"
    systemctl restart "$1"
    say "$1 is running. Its log: journalctl -fu $1"
}

install_worker() {
    [ -n "$coordinator" ] || die "name the coordinator: --coordinator https://HOST:4100"
    [ -r "$ca" ] || die "give the lab's certificate: --ca ca.pem"
    [ -r "$token" ] || die "give this machine's token: --token NAME.token"
    # A quote would end the value in the file below.
    case $coordinator$hours in *[\"\\]*) die "no quotes or backslashes, please" ;; esac
    put_program gridproof-worker
    put_unit gridproof-worker.service
    install -D -m 644 "$ca" "$root/etc/gridproof/ca.pem"
    install -D -m 600 "$token" "$root/etc/gridproof/worker.token"
    config=$root/etc/gridproof/worker.toml
    if [ -e "$config" ]; then
        say "keeping $config as it is"
    else
        # A token is for one name, and its file is called after it.
        name=$(basename -- "$token" .token)
        sed -e "s|^coordinator = .*|coordinator = \"$coordinator\"\\nname = \"$name\"|" \
            -e "s|^hours = .*|hours = \"$hours\"|" "$here/worker.toml" >"$config"
        chmod 644 "$config"
    fi
    start gridproof-worker.service
}

install_coordinator() {
    put_program gridproof
    put_help
    put_unit gridproof.service
    live || return 0
    id gridproof >/dev/null 2>&1 ||
        useradd --system --home-dir /var/lib/gridproof --shell /usr/sbin/nologin gridproof
    install -d -o gridproof -g gridproof -m 750 /var/lib/gridproof
    cd /var/lib/gridproof
    as_gridproof() { runuser -u gridproof -- /usr/local/bin/gridproof "$@"; }
    [ -e gridproof-data/certs/ca.pem ] || as_gridproof cert ca
    # Each name is a word of its own.
    # shellcheck disable=SC2086
    [ -e gridproof-data/certs/server.pem ] || as_gridproof cert server $names
    if [ ! -e gridproof-data/tokens.toml ]; then
        as_gridproof token new --role operator --out gridproof-data/tokens operator
    fi
    start gridproof.service
    say "Next: cd /var/lib/gridproof && sudo -u gridproof gridproof token new --out gridproof-data/tokens NAME..."
}

remove() {
    for unit in gridproof-worker.service gridproof.service; do
        if live && [ -e "/etc/systemd/system/$unit" ]; then
            systemctl disable --now "$unit"
        fi
        rm -f "$root/etc/systemd/system/$unit"
    done
    rm -f "$root/usr/local/bin/gridproof-worker" "$root/usr/local/bin/gridproof"
    rm -f "$root$SHARE"/man/man1/gridproof*.1 "$root$SHARE"/bash-completion/completions/gridproof* \
        "$root$SHARE"/zsh/site-functions/_gridproof*
    rm -rf "$root/etc/gridproof"
    say "removed. What was proved is still in $root/var/lib/gridproof"
}

case $what in
worker) install_worker ;;
coordinator) install_coordinator ;;
remove) remove ;;
*) die "say worker, coordinator or remove; --help tells more" ;;
esac
