import Modem from 'docker-modem'
import Docker from 'dockerode'
import { engineClient } from './engine-client.ts'
import type { Transport } from './transport.ts'

/**
 * A dockerode that goes where it is told. docker-modem's constructor reads `DOCKER_HOST`, lets it win over a
 * `socketPath`, and throws for its faults and those of `DOCKER_CERT_PATH`. So it is not called: what it would set are
 * the fields of the transport, and these two. Requests are sent by a client of our own.
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
