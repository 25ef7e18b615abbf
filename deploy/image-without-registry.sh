#!/bin/sh
# Builds the image on a machine that reaches no image registry: from Debian packages and npm. As root, with the packages
# debootstrap and buildah. Usage: deploy/image-without-registry.sh [NAME], then: buildah run or podman run NAME
set -eu
name="${1:-localhost/catalog}"
export BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}"
cd "$(dirname "$0")/.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

debootstrap --variant=minbase --include=ca-certificates bookworm "$work/root"
for folder in var/cache/apt var/lib/apt/lists usr/share/doc usr/share/man usr/share/locale var/log; do
  rm -rf "$work/root/$folder"/*
done
echo '{ "private": true, "allowScripts": { "node": true } }' > "$work/package.json"
npm install --prefix "$work" --no-save --no-audit --no-fund node@24
npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"

container="$(buildah from scratch)"
buildah copy -q "$container" "$work/root" /
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit -q "$container" localhost/catalog-debian
buildah copy -q "$container" "$work/node_modules/node/bin/node" /usr/local/bin/node
buildah copy -q "$container" "$npm" /usr/local/lib/npm
buildah run "$container" ln -s /usr/local/lib/npm/bin/npm-cli.js /usr/local/bin/npm
buildah commit -q "$container" localhost/catalog-node
buildah rm "$container" > /dev/null

# For npm: the settings of the user, and the certificates that Node trusts besides its own.
{ [ ! -f "$HOME/.npmrc" ] || grep -v '^cafile' "$HOME/.npmrc" || true; } > "$work/npmrc"
set -- --volume "$work/npmrc:/usr/local/etc/npmrc:ro"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  echo 'cafile=/etc/ssl/site.pem' >> "$work/npmrc"
  set -- "$@" --volume "$(readlink -f "$NODE_EXTRA_CA_CERTS"):/etc/ssl/site.pem:ro"
fi
buildah build --format docker "$@" --file deploy/Dockerfile --tag "$name" \
  --build-arg NODE_IMAGE=localhost/catalog-node --build-arg DEBIAN_IMAGE=localhost/catalog-debian .
