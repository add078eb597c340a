import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rowTags } from '@fenced/testing'
import type Docker from 'dockerode'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { enterOwnRealm, inOwnRealm, leaveOwnRealm } from '../../../testing/own-realm.ts'
import { eachEngine } from './each-engine.ts'
import { hostileImage, hostilePackage } from './hostile-package.ts'
import {
  type ImageEngine,
  imageEngine,
  makeImage,
  provide,
  removeImage,
  uniqueName,
} from './image-support.ts'

/** Options that install it; its build does one of the {@link attacks}. */
function hostile(attack: keyof typeof attacks) {
  const installEnv = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: '/wheels', ATTACK: attack }
  return { packages: ['hostile'], installNetwork: 'none', installEnv }
}

/** Counts the processes it can have, tries to end and to trace what keeps the container, and records what came of it. */
const limits = `
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def denied(action):
    try:
        return action() == -1
    except OSError:
        return True
children = []
while len(children) < 400:
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        signal.pause()
    children.append(child)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
others = [int(name) for name in os.listdir('/proc') if name.isdigit() and os.stat('/proc/' + name).st_uid]
facts = {
    'processes': len(children),
    'capabilities': [line.split()[1] for line in open('/proc/self/status') if line.startswith('CapBnd')],
    'keepers': len(others) > 0,
    'kill': all(denied(lambda: os.kill(other, signal.SIGKILL)) for other in others),
    'trace': all(denied(lambda: libc.ptrace(16, other, None, None)) for other in others),
    'memory': all(denied(lambda: open('/proc/%d/mem' % other, 'rb+').write(b'x')) for other in others),
}
open('/facts', 'w').write(json.dumps(facts))
`

/** Leaves its session and its parent, so that only the end of its container ends it. */
const stay = `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    open('/building', 'w').close()
    while True:
        time.sleep(0.1)
time.sleep(1000)
`

const attacks = { limits, stay } as const

/** Podman knows an image by other names as well. */
async function installersOf(docker: Docker, image: string): Promise<Docker.ContainerInfo[]> {
  const { Id } = await docker.getImage(image).inspect()
  const all = await docker.listContainers({ all: true })
  return all.filter(({ ImageID }) => ImageID.replace('sha256:', '') === Id.replace('sha256:', ''))
}

/** Until a container of the image runs what the package leaves behind. */
async function untilBuilding(docker: Docker, image: string): Promise<void> {
  for (;;) {
    const [found] = await installersOf(docker, image)
    const look = async (id: string) => {
      const answer = await docker.getContainer(id).infoArchive({ path: '/building' })
      answer.resume()
      return true
    }
    if (found !== undefined && (await look(found.Id).catch(() => false))) return
    await delay(50)
  }
}

async function contentOf(docker: Docker, image: string, path: string): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ['cat'],
    Cmd: [path],
    User: '0:0',
  })
  try {
    await container.start()
    await container.wait()
    return (await container.logs({ stdout: true })).subarray(8).toString('utf8')
  } finally {
    await container.remove({ force: true })
  }
}

const rows = rowTags({ nightly: ['on podman', 'on docker, remote'] })

describe.each(eachEngine)('the build of a hostile package, on $name', rows, ({ requirement, options }) => {
  const isMissing = requirement.missing
  const image = uniqueName()
  let engine: ImageEngine

  beforeAll(async () => {
    if (isMissing) return
    enterOwnRealm()
    engine = await imageEngine({}, options.docker as Parameters<typeof imageEngine>[1])
    await makeImage(engine.docker, image, {
      Dockerfile: hostileImage,
      'package.py': hostilePackage,
      'attack.py': `import os\nexec(${JSON.stringify(attacks)}[os.environ['ATTACK']])\n`,
    })
    return async () => {
      leaveOwnRealm()
      await removeImage(engine.docker, image)
    }
  })

  test.skipIf(isMissing)('has the limits of the container, and cannot end what keeps it', async () => {
    const createContainer = vi.spyOn(engine.docker, 'createContainer')
    onTestFinished(() => createContainer.mockRestore())
    const limits = { memoryBytes: 256 * 2 ** 20, cpus: 0.5, pids: 64 }
    const provided = await provide({ engine, options: { image, ...hostile('limits') }, limits })
    const { id } = provided.image
    onTestFinished(() => removeImage(engine.docker, id))
    const request = createContainer.mock.calls[0]?.[0] as unknown as {
      _body: Docker.ContainerCreateOptions
    }
    expect(request._body.HostConfig).toMatchObject({
      ...{ Memory: 256 * 2 ** 20, MemorySwap: 256 * 2 ** 20, NanoCpus: 5e8, PidsLimit: 64 },
      ...{ LogConfig: { Type: 'none' }, CapDrop: ['ALL'] },
    })
    const facts = JSON.parse(await contentOf(engine.docker, id, '/facts'))
    expect(facts).toEqual({
      processes: expect.any(Number),
      // CHOWN, DAC_OVERRIDE and FOWNER.
      capabilities: ['000000000000000b'],
      ...{ keepers: true, kill: true, trace: true, memory: true },
    })
    expect(facts.processes).toBeLessThan(64)
  })

  test.skipIf(isMissing)('ends with its host, however that ends, with all that it left', async () => {
    const program = join(import.meta.dirname, 'programs/install-and-wait.ts')
    const given = JSON.stringify({ ...options, image, ...hostile('stay') })
    const args = ['--conditions=@fenced/source', ...inOwnRealm, program, given]
    const host = spawn(process.execPath, args, { stdio: 'inherit' })
    onTestFinished(() => void host.kill('SIGKILL'))
    await untilBuilding(engine.docker, image)
    host.kill('SIGKILL')
    expect(await once(host, 'exit')).toEqual([null, 'SIGKILL'])
    while ((await installersOf(engine.docker, image)).length > 0) await delay(50)
  })

  test.skipIf(isMissing)('ends at its time limit, and says so', async () => {
    const started = provide({ engine, options: { image, ...hostile('stay'), installTimeoutMs: 2_000 } })
    await expect(started).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      data: {
        packages: expect.stringContaining('hostile'),
        limitMs: '2000',
        option: 'installTimeoutMs',
      },
    })
    expect(await installersOf(engine.docker, image)).toEqual([])
  })
})
