import { type LimitSettings, limitsOfHost } from './container-limits.ts'
import type { ContainerRequest } from './container-request.ts'

/** What the processes of a container may do. Without options: nothing but compute within the limits. */
export interface Confinement {
  readonly limits: LimitSettings
  /**
   * Capabilities of the kernel. All others are dropped.
   *
   * @default []
   */
  readonly capabilities?: readonly string[] | undefined
  /**
   * Whether programs with a set-user-id bit give no rights.
   *
   * @default true
   */
  readonly noNewPrivileges?: boolean | undefined
  /**
   * Whether a small init process waits for orphaned processes.
   *
   * @default true
   */
  readonly init?: boolean | undefined
  /**
   * Whether the root file system is read-only.
   *
   * @default false
   */
  readonly readOnlyRoot?: boolean | undefined
}

/**
 * Confines a request. Fenced creates all its containers from requests of this function. The fields of the given
 * request win: they are deliberate exceptions.
 */
export function confinedRequest(request: ContainerRequest, confinement: Confinement): ContainerRequest {
  const { limits, capabilities = [], noNewPrivileges = true, init = true, readOnlyRoot = false } = confinement
  return {
    // A health check of the image starts processes, so a container with one would never be idle.
    Healthcheck: { Test: ['NONE'] },
    ...request,
    HostConfig: {
      // What reaches the output of the container's own process must not fill the disk of the engine's machine.
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: true,
      Init: init,
      ReadonlyRootfs: readOnlyRoot,
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      SecurityOpt: noNewPrivileges ? ['no-new-privileges'] : [],
      ...limitsOfHost(limits),
      ...request.HostConfig,
    },
  }
}
