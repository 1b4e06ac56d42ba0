#!/bin/sh
# Makes one file that turns a machine into a worker:
#
#   ./bundle.sh --coordinator https://grid.lab:4100 --ca ca.pem --token pc-07.token >pc-07.sh
#   ssh pc-07 sudo sh <pc-07.sh
#
# The file holds the machine's token: keep it as you would keep the token. Further options
# are those of install.sh (--bin, --hours).
set -eu

die() {
    printf 'bundle.sh: %s\n' "$*" >&2
    exit 1
}

# The lines at the top of this script are its help.
help() {
    sed -n '2,/^set -eu$/{/^#/s/^# \{0,1\}//p;}' "$0"
    exit 0
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
bin=$here/../target/release coordinator='' ca='' token='' hours='22:00-07:00,weekend'
while [ $# -gt 0 ]; do
    case $1 in -h | --help) help ;; esac
    [ $# -ge 2 ] || die "$1 needs a value"
    case $1 in
    --bin) bin=$2 ;;
    --coordinator) coordinator=$2 ;;
    --ca) ca=$2 ;;
    --token) token=$2 ;;
    --hours) hours=$2 ;;
    *) die "unknown option $1: --help lists them" ;;
    esac
    shift 2
done
[ -n "$coordinator" ] || die "name the coordinator: --coordinator https://HOST:4100"
[ -r "$ca" ] || die "give the lab's certificate: --ca ca.pem"
[ -r "$token" ] || die "give the machine's token: --token NAME.token"
[ -x "$bin/gridproof-worker" ] || die "$bin/gridproof-worker is not there: build it, or say --bin DIR"
# They are put between single quotes below.
case $coordinator$hours in *\'*) die "no quotes, please" ;; esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/install.sh" "$here/worker.toml" "$bin/gridproof-worker" "$folder"
mkdir "$folder/systemd"
cp "$here/systemd/gridproof-worker.service" "$folder/systemd"
cp "$ca" "$folder/ca.pem"
name=$(basename -- "$token" .token)
cp "$token" "$folder/$name.token"

cat <<END
#!/bin/sh
# Makes this machine a Gridproof worker by the name $name. Holds its token: keep it secret.
set -eu
umask 077
folder=\$(mktemp -d)
trap 'rm -rf "\$folder"' EXIT
base64 -d <<'PAYLOAD' | tar -xz -C "\$folder"
END
tar -cz -C "$folder" . | base64
cat <<END
PAYLOAD
sh "\$folder/install.sh" worker --bin "\$folder" --coordinator '$coordinator' \\
    --ca "\$folder/ca.pem" --token "\$folder/$name.token" --hours '$hours' "\$@"
END
