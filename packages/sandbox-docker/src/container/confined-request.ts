import { type LimitSettings, limitsOfHost } from './container-limits.ts'
import type { ContainerRequest } from './container-request.ts'

/** What a container's processes are allowed to do. Without options, they can only compute within the limits. */
export interface Confinement {
  readonly limits: LimitSettings
  /**
   * Linux capabilities to keep. All others are dropped.
   *
   * @default []
   */
  readonly capabilities?: readonly string[] | undefined
  /**
   * Whether programs with a set-user-ID bit are prevented from gaining privileges.
   *
   * @default true
   */
  readonly noNewPrivileges?: boolean | undefined
  /**
   * Whether a small init process reaps orphaned processes.
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
 * Adds confinement to a request. Fenced creates all its containers from requests that this function returns. Fields in the given
 * request take precedence, because they are deliberate exceptions.
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
