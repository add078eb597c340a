import Modem from 'docker-modem'
import Docker from 'dockerode'
import { engineClient } from './engine-client.ts'
import type { Transport } from './transport.ts'

/**
 * A dockerode with the given transport. docker-modem's constructor reads `DOCKER_HOST`, lets it win over a
 * `socketPath`, and throws for errors in it and in `DOCKER_CERT_PATH`. So the constructor is not called: it would set
 * the fields of the transport, and these two. Requests are sent by our client.
 *
 * @param answerTimeoutMs - see `ConnectOptions`.
 */
export function dockerodeOver({ connect: _, ...transport }: Transport, answerTimeoutMs: number): Docker {
  const modem: Modem = Object.assign(Object.create(Modem.prototype), transport, {
    headers: {},
    sshOptions: {},
    buildRequest: engineClient({ protocol: transport.protocol, answerTimeoutMs }),
  })
  const options: { readonly modem: Modem } = { modem }
  return new Docker(options as Docker.DockerOptions)
}
