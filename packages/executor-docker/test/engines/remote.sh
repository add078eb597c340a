# shellcheck shell=bash
# Docker on "another machine": in a network of its own, reached over TCP with TLS and a client certificate.

remote_number=250
remote_address() { namespace_address "$remote_number"; }

remote_start() {
  local folder="$state/remote"
  is_alive "$folder" && return
  say "starting the remote Docker"
  make_namespace remote "$remote_number"
  [ -s "$folder/client/cert.pem" ] || make_certificates "$folder"
  # shellcheck disable=SC2046
  start_dockerd "$folder" "$(remote_settings "$folder")" $(in_namespace remote)
}

remote_load() { load_images "unix://$state/remote/docker.sock"; }

remote_exports() {
  print_export FENCED_TEST_REMOTE "tcp://$(remote_address):2376"
  print_export FENCED_TEST_REMOTE_CERTS "$state/remote/client"
}

remote_stop() {
  stop_dockerd "$state/remote"
  delete_namespace remote
}

# The socket is for loading images; tests do not know it.
remote_settings() {
  local folder="$1"
  cat <<JSON
  "hosts": ["unix://$folder/docker.sock", "tcp://$(remote_address):2376"],
  "tlsverify": true,
  "tlscacert": "$folder/authority/ca.pem",
  "tlscert": "$folder/server/cert.pem",
  "tlskey": "$folder/server/key.pem",
JSON
}

make_certificates() {
  local folder="$1"
  mkdir -p "$folder"/{authority,server,client}
  {
    openssl req -x509 -subj '/CN=Fenced test authority' "${new_key[@]}" -days 3650 \
      -keyout "$folder/authority/key.pem" -out "$folder/authority/ca.pem"
    sign "$folder" server "subjectAltName=IP:$(remote_address)"$'\n'"extendedKeyUsage=serverAuth"
    sign "$folder" client "extendedKeyUsage=clientAuth"
  } >"$folder/certificates.log" 2>&1 || { cat "$folder/certificates.log" >&2 && fail "openssl failed"; }
  # The three names that a Docker client looks for in DOCKER_CERT_PATH.
  cp "$folder/authority/ca.pem" "$folder/client/ca.pem"
}

new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

sign() {
  local folder="$1" name="$2" extensions="$3"
  openssl req -subj "/CN=Fenced test $name" "${new_key[@]}" -keyout "$folder/$name/key.pem" |
    openssl x509 -req -days 3650 -CA "$folder/authority/ca.pem" -CAkey "$folder/authority/key.pem" -CAcreateserial \
      -extfile <(echo "$extensions") -out "$folder/$name/cert.pem"
}
