import Docker from 'dockerode'
import type { Transport } from './transport.ts'

/**
 * A dockerode that goes where it is told. docker-modem reads `DOCKER_HOST` in its constructor, lets it win over a
 * `socketPath`, and throws for its faults and those of `DOCKER_CERT_PATH`; so the variable is hidden meanwhile.
 */
export function dockerodeOver(transport: Transport): Docker {
  const { DOCKER_HOST } = process.env
  delete process.env.DOCKER_HOST
  try {
    return new Docker(transport)
  } finally {
    if (DOCKER_HOST !== undefined) process.env.DOCKER_HOST = DOCKER_HOST
  }
}
