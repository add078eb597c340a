import { FencedError } from '@fenced/core'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { runCommand } from '@fenced/sandbox/driver'

/** How long a connection may take, in seconds. */
const limitSeconds = 2

/** A cluster puts its policies into effect a moment after a pod has begun, so this is tried so often. */
const attempts = 4

/**
 * Each attempt asks: the API server as pods know it, the name servers, the metadata of a cloud, and the internet. Prints the
 * address that was reached, `closed`, or `unable` where nothing in the image can connect.
 */
const script = `try() {
  if command -v python3 > /dev/null; then
    python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), ${limitSeconds}).close()' "$1" "$2"
  elif command -v bash > /dev/null && command -v timeout > /dev/null; then
    timeout ${limitSeconds} bash -c 'exec 3<> "/dev/tcp/$0/$1"' "$1" "$2"
  elif command -v node > /dev/null; then
    node -e 'const s = require("net").connect(+process.argv[2], process.argv[1], () => process.exit(0)); s.setTimeout(${limitSeconds}000, () => process.exit(1)).on("error", () => process.exit(1))' "$1" "$2"
  elif command -v nc > /dev/null; then
    nc -w ${limitSeconds} "$1" "$2" < /dev/null
  else
    return 99
  fi > /dev/null 2>&1
}
ask() {
  try "$1" "$2"
  case $? in 0) echo "$1:$2" ;; 99) echo unable ;; esac
}
{
  ask "$KUBERNETES_SERVICE_HOST" "\${KUBERNETES_SERVICE_PORT:-443}" &
  while read -r word address rest; do
    [ "$word" = nameserver ] && ask "$address" 53 &
  done < /etc/resolv.conf
  ask 169.254.169.254 80 &
  ask 1.1.1.1 443 &
  for target; do ask "\${target%:*}" "\${target##*:}" & done
  wait
  echo closed
} 2> /dev/null`

/**
 * Tries to get out of a pod.
 *
 * @param targets - more addresses that must not be reached, each with a port.
 * @throws FencedError `NETWORK_NOT_CLOSED` when it gets out, or when nothing in the image can try.
 */
export async function requireNoEgress(
  backend: SandboxBackend,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let reached: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { output } = await runCommand(
      { backend, user: undefined, directory: '/' },
      { command: ['/bin/sh', '-c', script, 'fenced-network', ...targets], signal },
    )
    const lines = output.split('\n').filter((line) => line !== '')
    if (lines.includes('unable'))
      throw notClosed(
        'the image has neither python3, bash, node nor nc, so it could not be tried whether something gets out',
        { programs: 'python3, bash, node, nc' },
      )
    if (lines.at(-1) !== 'closed')
      throw notClosed(`the attempt to get out did not end: ${output.trim()}`, { output: output.trim() })
    reached = lines.find((line) => line !== 'closed')
    if (reached === undefined) return
  }
  throw notClosed(
    `a pod reached ${reached}, so the network of this cluster does not enforce its NetworkPolicy, or not immediately`,
    { address: String(reached) },
  )
}

function notClosed(problem: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'NETWORK_NOT_CLOSED',
    message: `\`network: 'none'\` cannot be guaranteed: ${problem}. Use a cluster whose network enforces NetworkPolicy (Calico, Cilium).`,
    data: { ...data, option: 'network' },
  })
}
