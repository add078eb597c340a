import type { Notice } from '../code-result.ts'

/** Messages of resolvers, sockets, pip, curl and Node without a network. */
const symptoms =
  /network is (unreachable|down)|no route to host|temporary failure in name resolution|name or service not known|could not resolve host|nodename nor servname|getaddrinfo failed|\b(ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND)\b|failed to establish a new connection|no address associated with hostname/i

/** A notice for a program that failed, seemingly because it has no network; else `undefined`. */
export function noNetworkNotice(output: string): Notice | undefined {
  if (!symptoms.test(output)) return undefined
  return {
    code: 'no-network',
    message:
      'The code has no network access because this executor was created without a network. If the code may use the network, turn it on with the `network` option (for the `fenced` command: `--network pypi.org,files.pythonhosted.org`, or `--network all`).',
  }
}
