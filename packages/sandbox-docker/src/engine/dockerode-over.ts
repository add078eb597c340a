import Modem from 'docker-modem'
import Docker from 'dockerode'
import type { Transport } from './transport.ts'

/**
 * A dockerode that goes where it is told. docker-modem's constructor reads `DOCKER_HOST`, lets it win over a
 * `socketPath`, and throws for its faults and those of `DOCKER_CERT_PATH`. So it is not called: what it would set are
 * the fields of the transport, and these two.
 */
export function dockerodeOver({ connect: _, ...transport }: Transport): Docker {
  const modem: Modem = Object.assign(Object.create(Modem.prototype), transport, {
    headers: {},
    sshOptions: {},
  })
  const options: { readonly modem: Modem } = { modem }
  return new Docker(options as Docker.DockerOptions)
}
