import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { NetworkConnection } from '@fenced/core'
import { certificateFile } from '@fenced/testing'
import { NetworkGate } from '../../src/network/network-gate.ts'
import { networkAllowlistSchema } from '../../src/network/network-options.ts'
import { NetworkProxy } from '../../src/network/network-proxy.ts'
import { NetworkSecrets } from '../../src/network/secrets/network-secrets.ts'

/** The secret of `api.test`. */
export const secretValue = 'secret-of-the-test'

/**
 * Listens on the loopback as the proxy of a sandbox that may reach `open.test` and `api.test`, which has a secret.
 *
 * @param port - of both hosts.
 * @param certificates - that the proxy trusts.
 * @returns with the first connection that has ended.
 */
export async function startProxy(
  port: number,
  certificates?: string,
): Promise<AsyncDisposable & { readonly port: number; readonly connection: Promise<NetworkConnection> }> {
  const hosts = [`api.test:${port}`, `http://api.test:${port}`]
  const settings = networkAllowlistSchema.parse({
    ...{
      allowedHosts: ['open.test', 'api.test'],
      allowedCIDRs: ['127.0.0.1/32'],
      ports: [port],
    },
    secrets: { TOKEN: { value: secretValue, hosts } },
    ...(certificates === undefined ? {} : { caFile: certificateFile(certificates) }),
  })
  const gate = new NetworkGate(settings, async () => ['127.0.0.1'])
  const proxy = new NetworkProxy(gate, NetworkSecrets.of(settings))
  const { promise: connection, resolve } = Promise.withResolvers<NetworkConnection>()
  gate.watch({ onConnection: resolve })
  const server = createServer({ allowHalfOpen: true }, (program) =>
    proxy.serve(program.on('error', () => {})),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connection,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
