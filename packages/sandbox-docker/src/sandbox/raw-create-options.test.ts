import { FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { checkRawOptions, withRawOptions } from './raw-create-options.ts'

/** The data of the error. */
function refusal(raw: Record<string, unknown>, allowWeaker = false): unknown {
  try {
    checkRawOptions(raw, allowWeaker)
    return undefined
  } catch (error) {
    return FencedError.isInstance(error) && error.code === 'INVALID_OPTIONS' ? error.data : error
  }
}

describe('createOptions', () => {
  it('cannot weaken silently', ({ everyRow }) =>
    everyRow(
      [
        ['Privileged', true],
        ['PidMode', 'host'],
        ['IpcMode', 'host'],
        ['UsernsMode', 'host'],
        ['UTSMode', 'host'],
        ['CgroupParent', '/'],
        ['SecurityOpt', ['seccomp=unconfined']],
        ['Devices', [{ PathOnHost: '/dev/mem' }]],
        ['DeviceCgroupRules', ['a *:* rwm']],
        ['OomKillDisable', true],
        ['MaskedPaths', []],
        ['VolumesFrom', ['other']],
        ['GroupAdd', ['docker']],
        ['Sysctls', { 'net.ipv4.ip_forward': '1' }],
        ['PortBindings', {}],
        ['RestartPolicy', { Name: 'always' }],
        ['SomethingNew', true],
      ],
      (field, value) => {
        const raw = { HostConfig: { [field]: value } }
        expect(refusal(raw)).toEqual({
          option: 'createOptions',
          fields: `HostConfig.${field}`,
          needed: 'allowWeakerIsolation',
        })
        expect(checkRawOptions(raw, true)).toEqual([`HostConfig.${field}`])
      },
    ))

  it('cannot attach another network', () => {
    expect(refusal({ NetworkingConfig: { EndpointsConfig: { bridge: {} } } })).toMatchObject({
      fields: 'NetworkingConfig',
      needed: 'allowWeakerIsolation',
    })
  })

  it.each([
    ['name', 'x', 'containerName'],
    ['Image', 'x', 'image'],
    ['User', 'root', 'user'],
  ])('%s belongs to an option of its own, whatever is allowed', (field, value, option) => {
    expect(refusal({ [field]: value }, true)).toMatchObject({ fields: field, needed: option })
  })

  it.each([
    ['Memory', 'memoryBytes'],
    ['NetworkMode', 'network'],
    ['CapAdd', 'addCapabilities'],
    ['ReadonlyRootfs', 'readOnlyRoot'],
    ['Mounts', 'volumes'],
    ['AutoRemove', 'stopContainer'],
  ])('HostConfig.%s belongs to an option of its own', (field, option) => {
    expect(refusal({ HostConfig: { [field]: null } }, true)).toMatchObject({
      fields: `HostConfig.${field}`,
      needed: option,
    })
  })

  it('cannot change what keeps the container', () => {
    const refused = { option: 'createOptions', fields: 'Entrypoint, Cmd' }
    expect(refusal({ Entrypoint: ['sh'], Cmd: [] }, true)).toEqual(refused)
    expect(refusal({ Healthcheck: { Test: ['CMD', 'true'] } }, true)).toEqual({
      option: 'createOptions',
      fields: 'Healthcheck',
    })
  })

  it('takes no field out of the request that is undefined', () => {
    const request = {
      name: 'one',
      Image: 'python',
      StopSignal: 'SIGTERM',
      HostConfig: { LogConfig: { Type: 'none', Config: {} } },
    }
    const raw = { StopSignal: undefined, HostConfig: { LogConfig: undefined, ShmSize: undefined } }
    expect(withRawOptions(request, raw)).toMatchObject(request)
    expect(withRawOptions(request, { HostConfig: undefined })).toMatchObject(request)
  })

  it('may set what gives the code nothing', () => {
    expect(checkRawOptions({ Env: ['A=1'], Hostname: 'h', HostConfig: { ShmSize: 1 } }, false)).toEqual([])
  })

  it('is merged into the request without taking anything from it', () => {
    const request = {
      Env: ['HOME=/home/user'],
      name: 'one',
      Image: 'python',
      Labels: { ours: '1' },
      HostConfig: {
        CapDrop: ['ALL'],
        Tmpfs: { '/tmp': 'rw' },
        Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      },
    }
    const raw = {
      Env: ['A=1'],
      Labels: { ours: 'forged', theirs: '2' },
      Hostname: 'h',
      HostConfig: { ShmSize: 1, Tmpfs: { '/run': '' }, Ulimits: [{ Name: 'nofile', Soft: 9, Hard: 9 }] },
    }
    expect(withRawOptions(request, raw)).toEqual({
      name: 'one',
      Image: 'python',
      Env: ['HOME=/home/user', 'A=1'],
      Labels: { ours: '1', theirs: '2' },
      Hostname: 'h',
      HostConfig: {
        CapDrop: ['ALL'],
        ShmSize: 1,
        Tmpfs: { '/tmp': 'rw', '/run': '' },
        Ulimits: [
          { Name: 'core', Soft: 0, Hard: 0 },
          { Name: 'nofile', Soft: 9, Hard: 9 },
        ],
        SecurityOpt: [],
      },
    })
  })
})
