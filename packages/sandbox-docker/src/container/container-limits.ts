import type { ExecutorCapabilities, LimitsInForce } from '@fenced/core'
import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

import type { HostConfig } from './container-request.ts'

const mebibyte = 2 ** 20

/** Settings that all containers share: user, environment variables and limits. */
export interface ContainerLimits {
  /**
   * Environment variables for everything that runs in the container, in addition to the image's own. Nothing from this process's
   * environment is passed on.
   * Names consist of letters (A-Z, a-z), digits and `_`, and do not begin with a digit.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Memory limit in bytes for everything that runs in the container, including files that are kept in memory (`HOME`, and in an
   * executor also `/tmp`). No swap is added. `false` for no limit.
   *
   * @default 2_147_483_648
   */
  readonly memoryBytes?: number | false | undefined
  /**
   * Number of CPUs that the container can use, which can be fractional. `false` for no limit.
   *
   * @default 1
   */
  readonly cpus?: number | false | undefined
  /**
   * User that runs everything in the container: a user name from the image, `uid`, or `uid:gid`.
   *
   * @default the user of this process, so that it owns the files in a shared directory; on a rootless engine, `0:0`, which is the
   * same user
   */
  readonly user?: string | undefined
  /**
   * The engine's runtime to use, such as `runsc` (gVisor) or `kata`.
   *
   * @default the engine's own
   */
  readonly runtime?: string | undefined
}

/** Schema fields for {@link ContainerLimits}. */
export const containerLimitsShape = {
  env: environmentSchema.default({}),
  memoryBytes: z.union([z.int().min(6 * mebibyte), z.literal(false)]).default(2 * 1024 * mebibyte),
  cpus: z.union([z.number().min(0.01), z.literal(false)]).default(1),
  user: z.string().min(1).optional(),
  runtime: z.string().min(1).optional(),
} as const

/** Limits for a container, with defaults filled in. */
export type LimitSettings = Pick<
  z.output<z.ZodObject<typeof containerLimitsShape>>,
  'memoryBytes' | 'cpus' | 'runtime'
> & { readonly pids: number | false; readonly diskBytes?: number | undefined }

/** The limits of a container whose options say nothing of them. */
export const defaultLimits = { memoryBytes: 2 * 1024 * mebibyte, cpus: 1, pids: 256 } as const

/** The fields of a request for a container that these limits mean. */
export function limitsOfHost({ memoryBytes, cpus, pids, runtime }: LimitSettings): HostConfig {
  return {
    // The same as the memory: nothing may be swapped.
    ...(memoryBytes === false ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(cpus === false ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    ...(pids === false ? {} : { PidsLimit: pids }),
    ...(runtime === undefined ? {} : { Runtime: runtime }),
  }
}

/** What an engine answers about the limits of a container. */
interface InspectedLimits {
  readonly Memory?: number | undefined
  readonly NanoCpus?: number | undefined
  readonly CpuQuota?: number | undefined
  readonly CpuPeriod?: number | undefined
  readonly PidsLimit?: number | null | undefined
}

/** The limits that an engine applies. A limit that the engine does not support is 0: the engine only warns about it. */
export function limitsInForceOf(inspected: InspectedLimits): LimitsInForce {
  const { Memory = 0, NanoCpus = 0, CpuQuota = 0, CpuPeriod = 0, PidsLimit } = inspected
  // An engine may keep the quota of the kernel instead.
  const cpus = NanoCpus > 0 ? NanoCpus / 1e9 : CpuPeriod > 0 ? CpuQuota / CpuPeriod : 0
  return {
    ...(Memory > 0 ? { memoryBytes: Memory } : {}),
    ...(cpus > 0 ? { cpus } : {}),
    ...(typeof PidsLimit === 'number' && PidsLimit > 0 ? { pids: PidsLimit } : {}),
  }
}

/** Returns the guarantees that these limits give. */
export function boundedBy({
  memoryBytes,
  cpus,
  pids,
  diskBytes,
}: LimitSettings): ExecutorCapabilities['limits'] {
  const limits = { memory: memoryBytes !== false, processes: pids !== false, cpu: cpus !== false }
  return diskBytes === undefined ? limits : { ...limits, disk: true }
}
