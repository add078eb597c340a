import { randomBytes } from 'node:crypto'
import type Docker from 'dockerode'
import { confinedRequest, endsWithHost, keeper } from '../../container/confined-request.ts'
import type { Container } from '../../container/container.ts'
import { defaultLimits } from '../../container/container-limits.ts'
import type { ContainerRequest } from '../../container/container-request.ts'
import { PendingRemovals } from '../../container/pending-removals.ts'
import { startContainer } from '../../container/start-container.ts'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import type { ImageSettings } from '../image-options.ts'

/** A container in which packages are installed. */
export interface InstallerContainer extends AsyncDisposable {
  readonly container: Container
}

/** How long the files of an installation that has ended may take to become an image, in milliseconds. */
const commitMs = 3_600_000

/**
 * Starts the container of an installation. It ends with this process, however that ends.
 *
 * @throws FencedError of an engine, or the signal's reason.
 */
export async function startInstaller(
  engine: EngineAccess,
  base: Docker.ImageInspectInfo,
  { settings, signal }: { readonly settings: ImageSettings; readonly signal: AbortSignal },
): Promise<InstallerContainer> {
  const pendingRemovals = new PendingRemovals()
  const container = await startContainer(engine, installerRequest(base, settings), {
    signal,
    pendingRemovals,
  })
  // What is left of it is removed at a later start, by its labels.
  const remove = () => container.remove().catch(() => {})
  try {
    await container.hold({ signal })
    return { container, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * It differs from the image as little as possible, because the engine puts the difference into the new image: the
 * entry point cannot be left out, all else is given to the exec.
 *
 * A build runs as root and can write every file of the image, regardless of its owner. Without other capabilities a program
 * with a set-user-id bit gains it nothing; `no-new-privileges` would take these three from it as well.
 */
export function installerRequest(
  base: Pick<Docker.ImageInspectInfo, 'Id'>,
  settings: ImageSettings,
): ContainerRequest {
  const { platform, installNetwork, installTimeoutMs } = settings
  const { memoryBytes = defaultLimits.memoryBytes, cpus = defaultLimits.cpus } = settings
  const { pids = defaultLimits.pids } = settings
  const request = {
    name: `fenced-install-${randomBytes(6).toString('hex')}`,
    ...(platform === undefined ? {} : { platform }),
    Image: base.Id,
    ...endsWithHost({ maxLifetimeMs: installTimeoutMs + commitMs, idleTimeoutMs: 0 }),
    User: keeper,
    // The image keeps its own, which harms nothing here: the container has no idle timeout.
    Healthcheck: undefined,
    HostConfig: { NetworkMode: installNetwork === 'open' ? 'bridge' : installNetwork },
  }
  return confinedRequest(request, {
    capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'],
    noNewPrivileges: false,
    init: false,
    // Without `runtime`: no image can be made of a container with a separate kernel (gVisor).
    limits: { memoryBytes, cpus, pids, runtime: undefined },
  })
}
