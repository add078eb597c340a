import { keepAliveCommand, type LifeLimits } from '@fenced/sandbox/driver'
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

/**
 * The user of the keeper of a container: a number that no distribution assigns, so that the code can neither
 * signal it nor write to its output. It lies within the 65,536 that an engine which maps users has.
 */
export const keeper = '64999:64999'
const otherKeeper = '64998:64998'

/** @param user - the code's, as the `user` option names it. */
export function keeperBeside(user: string): string {
  return /^64999(:|$)/.test(user) ? otherKeeper : keeper
}
