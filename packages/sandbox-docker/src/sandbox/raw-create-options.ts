import { FencedError } from '@fenced/core'
import { definedOptions } from '@fenced/shared'
import type { ContainerRequest, HostConfig } from '../container/container-request.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields that the executor sets, and the option for each, if one exists. */
const ours: Readonly<Record<string, string>> = {
  name: '`containerName`',
  Image: '`image`',
  platform: '`platform`',
  User: '`user`',
  Cmd: '',
  Entrypoint: '',
  WorkingDir: '',
  Tty: '',
  OpenStdin: '',
  StdinOnce: '',
  AttachStdin: '',
  AttachStdout: '',
  AttachStderr: '',
  Healthcheck: '',
  'HostConfig.AutoRemove': '`stopContainer`',
  'HostConfig.Binds': '`volumes`',
  'HostConfig.Mounts': '`volumes`',
  'HostConfig.NetworkMode': '`network`',
  'HostConfig.Memory': '`memoryBytes`',
  'HostConfig.MemorySwap': '`memoryBytes`',
  'HostConfig.NanoCpus': '`cpus`',
  'HostConfig.PidsLimit': '`pids`',
  'HostConfig.Runtime': '`runtime`',
  'HostConfig.Init': '`init`',
  'HostConfig.StorageOpt': '`diskBytes`',
  'HostConfig.ReadonlyRootfs': '`readOnlyRoot`',
  'HostConfig.CapAdd': '`addCapabilities`',
  'HostConfig.CapDrop': '`addCapabilities`',
  'HostConfig.ExtraHosts': '`extraHosts`',
  'HostConfig.DeviceRequests': '`gpus`',
}

/** Fields that cannot weaken the isolation. All others may, including fields of future engines. */
const harmless = new Set([
  ...['Env', 'Labels', 'Hostname', 'Domainname', 'StopSignal', 'StopTimeout', 'MacAddress'],
  ...[
    ...['BlkioWeight', 'BlkioWeightDevice', 'CpuShares', 'CpusetCpus', 'CpusetMems', 'MemoryReservation'],
    ...['BlkioDeviceReadBps', 'BlkioDeviceWriteBps', 'BlkioDeviceReadIOps', 'BlkioDeviceWriteIOps'],
    ...['Dns', 'DnsOptions', 'DnsSearch', 'LogConfig', 'OomScoreAdj', 'ShmSize', 'Tmpfs', 'Ulimits'],
  ].map((field) => `HostConfig.${field}`),
])

/**
 * The fields of raw create options that may weaken the isolation.
 *
 * @throws FencedError `INVALID_OPTIONS` for a field that belongs to an option, and for a weakening field without `allowWeakerIsolation`.
 */
export function checkRawOptions(raw: Fields, allowWeaker: boolean): readonly string[] {
  const fields = fieldsOf(raw)
  const taken = fields.filter((field) => field in ours)
  if (taken.length > 0) throw wrong(taken.map(takenReason), takenData(taken))
  const weakening = fields.filter((field) => !harmless.has(field))
  if (weakening.length > 0 && !allowWeaker)
    throw wrong(weakening.map(weakeningReason), {
      fields: weakening.join(', '),
      needed: 'allowWeakerIsolation',
    })
  return weakening
}

/**
 * The request with the raw fields in it: lists and labels are added to, all other fields are set. A field that is
 * `undefined` does not change ours.
 */
export function withRawOptions(request: ContainerRequest, fields: Fields): ContainerRequest {
  const { HostConfig: hostFields = {}, Env, Labels, ...raw } = definedOptions(fields)
  const { Tmpfs, Ulimits, SecurityOpt, ...hostConfig } = definedOptions(hostFields as HostConfig)
  const own = request.HostConfig ?? {}
  return {
    ...request,
    ...raw,
    Env: [...(request.Env ?? []), ...((Env as string[] | undefined) ?? [])],
    Labels: { ...(Labels as Record<string, string> | undefined), ...request.Labels },
    HostConfig: {
      ...own,
      ...hostConfig,
      Tmpfs: { ...own.Tmpfs, ...Tmpfs },
      Ulimits: [...(own.Ulimits ?? []), ...(Ulimits ?? [])],
      SecurityOpt: [...(own.SecurityOpt ?? []), ...(SecurityOpt ?? [])],
    },
  }
}

function fieldsOf({ HostConfig = {}, ...top }: Fields): string[] {
  if (typeof HostConfig !== 'object' || HostConfig === null)
    throw wrong(['`HostConfig` must be an object'], { fields: 'HostConfig' })
  return [...Object.keys(top), ...Object.keys(HostConfig).map((field) => `HostConfig.${field}`)]
}

function takenReason(field: string): string {
  const option = ours[field]
  return option === '' ? `\`${field}\` cannot be changed` : `\`${field}\` is set by the option ${option}`
}

/** The options that set the fields, where there are some. */
function takenData(fields: readonly string[]): Record<string, string> {
  const options = new Set(fields.flatMap((field) => ours[field]?.replaceAll('`', '') || []))
  return { fields: fields.join(', '), ...(options.size === 0 ? {} : { needed: [...options].join(', ') }) }
}

function weakeningReason(field: string): string {
  return `\`${field}\` could weaken the isolation: set \`allowWeakerIsolation\` if that is what you want`
}

function wrong(reasons: readonly string[], data: Readonly<Record<string, string>>): FencedError {
  const message = `Wrong createOptions:\n${reasons.map((reason) => `✖ ${reason}`).join('\n')}`
  return new FencedError({ code: 'INVALID_OPTIONS', message, data: { option: 'createOptions', ...data } })
}
