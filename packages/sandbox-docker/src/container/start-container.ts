import { randomBytes } from 'node:crypto'
import type { EngineAccess } from '../engine/connect-engine.ts'
import { withEngineErrors } from '../engine/engine-error.ts'
import type { StartContainerOptions } from './call-options.ts'
import { Container } from './container.ts'
import { type ContainerRequest, hashOfRequest } from './container-request.ts'
import { hostContainer } from './host-container.ts'
import { labelNames, ownerLabels } from './labels.ts'
import { openContainer } from './open-container.ts'
import type { PendingRemovals } from './pending-removals.ts'

/** Makes a container and starts it. When that fails, nothing of it is left; `pendingRemovals` takes what cannot be removed at once. */
export async function startContainer(
  engine: EngineAccess,
  given: ContainerRequest,
  {
    signal,
    outlivesProcess = false,
    temporaryDirectory,
    pendingRemovals,
  }: StartContainerOptions & { pendingRemovals: PendingRemovals },
): Promise<Container> {
  const host = outlivesProcess ? undefined : await hostContainer(engine.docker)
  const labels = outlivesProcess
    ? { [labelNames.configuration]: hashOfRequest(given) }
    : {
        ...ownerLabels(),
        ...(host === undefined ? {} : { [labelNames.hostContainer]: host }),
        ...(temporaryDirectory === undefined ? {} : { [labelNames.temporaryDirectory]: temporaryDirectory }),
      }
  const request = {
    ...given,
    Labels: { ...given.Labels, ...labels, [labelNames.request]: randomBytes(8).toString('hex') },
  }
  const { id } = await withEngineErrors(engine, { doing: 'starting a container', signal }, () =>
    openContainer(engine.docker, request, signal, pendingRemovals),
  )
  return new Container({ engine, id, origin: { request, pendingRemovals } })
}
