import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { NetworkGate } from '../../src/network/network-gate.ts'
import { customNetworkSchema } from '../../src/network/network-options.ts'
import { NetworkProxy } from '../../src/network/network-proxy.ts'
import { NetworkSecrets } from '../../src/network/secrets/network-secrets.ts'

/**
 * Listens on the loopback as the proxy of a sandbox that may reach `open.test` and `api.test`, which has a secret.
 *
 * @param port - of both hosts.
 * @param ca - certificates that the proxy trusts.
 */
export async function startProxy(
  port: number,
  ca?: string,
): Promise<AsyncDisposable & { readonly port: number }> {
  const hosts = [`api.test:${port}`, `http://api.test:${port}`]
  const settings = customNetworkSchema.parse({
    ...{
      mode: 'custom',
      allowedHosts: ['open.test', 'api.test'],
      allowedCIDRs: ['127.0.0.1/32'],
      ports: [port],
    },
    ...{ secrets: { TOKEN: { value: 'secret-of-the-test', hosts } }, ca },
  })
  const proxy = new NetworkProxy(
    new NetworkGate(settings, async () => ['127.0.0.1']),
    NetworkSecrets.of(settings),
  )
  const server = createServer({ allowHalfOpen: true }, (program) =>
    proxy.serve(program.on('error', () => {})),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
