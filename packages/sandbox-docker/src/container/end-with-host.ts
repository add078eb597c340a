import { keepAliveCommand, type LifeLimits } from '@fenced/sandbox/internal'
import type { ContainerRequest } from './container-request.ts'

/** Fields of a request for a container that ends at its limits. */
export function endsAtLimits(limits: LifeLimits) {
  const [entry = '', ...command] = keepAliveCommand(limits)
  return { Entrypoint: [entry], Cmd: command } satisfies Partial<ContainerRequest>
}

/**
 * Fields of a request for a container that also ends with this process, however that ends, once the container is held
 * (`Container.hold`). Its first process is another user's than the programs, so that they can neither stop nor trace it.
 */
export function endsWithHost(limits: LifeLimits) {
  return {
    ...endsAtLimits({ ...limits, endsWithInput: true }),
    ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStderr: true },
  } satisfies Partial<ContainerRequest>
}
