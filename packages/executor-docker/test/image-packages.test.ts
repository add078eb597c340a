// @module-tag nightly

import type Docker from 'dockerode'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  folderWith,
  type ImageEngine,
  imageEngine,
  makeImage,
  type Provision,
  provide,
  removeImage,
  uniqueName,
} from './image-support.ts'
import { makeWheels } from './image-wheels.ts'
import { docker } from './requirements.ts'

/** An image with much to be lost, and an index of its own, so that no network is needed. */
const dockerfile = `
FROM fenced-test/python
COPY wheels.py /
RUN python3 /wheels.py
RUN touch "$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')/EXTERNALLY-MANAGED"
ENV A="b c" EMPTY=
LABEL mine=yes
USER 1000:1000
WORKDIR /srv/app
EXPOSE 80
STOPSIGNAL SIGINT
ENTRYPOINT ["/bin/sh", "-c", "exec \\"$0\\" \\"$@\\""]
CMD ["python3"]
`

/** A hang, not a speed: Vitest's own is one second. */
const patience = { timeout: 120_000, interval: 50 }

const offline = {
  installNetwork: 'none',
  installEnv: { PIP_NO_INDEX: 'true', PIP_FIND_LINKS: '/wheels', PASSWORD: 'secret-of-mine' },
}

describe.skipIf(docker.missing)('packages', () => {
  let engine: ImageEngine
  const base = uniqueName()

  beforeAll(async () => {
    engine = await imageEngine()
    await makeImage(engine.docker, base, { Dockerfile: dockerfile, 'wheels.py': makeWheels })
    return () => removeImage(engine.docker, base)
  })

  afterEach(async () => expect(await containersOf(engine.docker, base)).toEqual([]))

  const install = (options: Provision['options'], provision: Partial<Provision> = {}) =>
    provideAndForget({ engine, options: { image: base, ...offline, ...options }, ...provision })

  it('are there, and nothing else has changed', async () => {
    const { image, notices } = await install({ packages: ['tiny'] })
    expect(image.name).toBe(`${base} with its packages`)
    expect(notices[0]).toEqual({
      code: 'install',
      message: expect.any(String),
      data: { packages: 'tiny', image: base },
    })
    expect(notices.map(({ data }) => data?.output)).toContain('Successfully installed tiny-1.0')
    expect(await output(engine.docker, image.id, 'import tiny; print(tiny.value)')).toContain('42')
    const before = await engine.docker.getImage(base).inspect()
    const after = await engine.docker.getImage(image.id).inspect()
    expect({ ...after.Config, Labels: {} }).toEqual({ ...before.Config, Labels: {} })
    expect(after.Config.Labels).toEqual({
      ...before.Config.Labels,
      'fenced.image': 'packages',
      'fenced.owner.process-id': '',
      'fenced.owner.process-start': '',
      'fenced.owner.realm': '',
      'fenced.request': '',
    })
    const [newest] = after.RepoTags
    expect(newest).toMatch(/^(localhost\/)?fenced-packages:[0-9a-f]{32}$/)
    expect(image.config).toEqual({
      user: '1000:1000',
      env: expect.objectContaining({ A: 'b c', EMPTY: '' }),
      workingDir: '/srv/app',
      entrypoint: before.Config.Entrypoint,
      command: ['python3'],
    })
  })

  it('leave no trace of installEnv', async () => {
    const { image, notices } = await install({ packages: ['tiny'] })
    const told = [
      await engine.docker.getImage(image.id).inspect(),
      await engine.docker.getImage(image.id).history(),
      notices,
      await output(engine.docker, image.id, 'import os; print(os.environ)'),
    ]
    expect(JSON.stringify(told)).not.toMatch(/PASSWORD|secret-of-mine|PIP_/)
  })

  it('are installed once, in whatever order and spelling', async () => {
    const first = await install({ packages: ['tiny', 'tiny_too==1.0'] })
    const createContainer = vi.spyOn(engine.docker, 'createContainer')
    onTestFinished(() => createContainer.mockRestore())
    const packages = ['Tiny.Too==1.0', ' tiny']
    const second = await provide({
      engine,
      options: { image: base, packages, installNetwork: 'none' },
    })
    expect(second).toEqual({ image: first.image, notices: [] })
    expect(createContainer).not.toHaveBeenCalled()
  })

  it('come from a requirements file and what it includes', async () => {
    const folder = await folderWith({
      'requirements.txt': '# ours\n-r more/base.txt\n-c limits.txt\n',
      'more/base.txt': 'tiny-too\ntiny\n',
      'limits.txt': 'tiny==1.0\n',
    })
    const { image } = await install({ requirements: `${folder}/requirements.txt` })
    const script = 'import os, tiny, tiny_too; print(tiny.value, os.path.exists("/.fenced"))'
    expect(await output(engine.docker, image.id, script)).toContain('42 False')
  })

  it('come from lines, with options of pip', async () => {
    const requirements = ['--no-index', '--find-links /wheels', 'tiny']
    const { image } = await install({ requirements, installEnv: {} })
    expect(await output(engine.docker, image.id, 'import tiny; print(tiny.value)')).toContain('42')
  })

  it('are installed by two at once without harm', async () => {
    const provisions = [1, 2, 3].map(() => install({ packages: ['tiny_too'] }))
    for (const { image } of await Promise.all(provisions)) {
      expect(await output(engine.docker, image.id, 'import tiny_too; print(tiny_too.value)')).toContain('42')
    }
  })

  it('that do not exist are told in pip’s words', async () => {
    const error = await install({ packages: ['tiny', 'no-such-thing'] }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'INSTALL_FAILED',
      data: {
        ...{ packages: 'no-such-thing, tiny', image: base, exitCode: '1' },
        output: expect.stringMatching(/No matching distribution found for no-such-thing$/),
      },
    })
    expect(JSON.stringify([error.message, error.data])).not.toContain('PIP_FIND_LINKS')
  })

  it('cannot be fetched without a network, and the options for it are named', async () => {
    const installEnv = { PIP_RETRIES: '1', PIP_INDEX_URL: 'https://anna:secret-of-mine@index.invalid/simple' }
    const error = await install({ packages: ['tiny'], installEnv }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'INSTALL_FAILED',
      data: { option: 'installNetwork, installEnv' },
    })
    expect(JSON.stringify([error.message, error.data])).not.toMatch(/secret-of-mine|anna/)
  })

  it('leave nothing when they are cancelled', async () => {
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    // The network does not answer, and pip waits for it.
    const installEnv = { PIP_INDEX_URL: 'https://192.0.2.1/simple', PIP_TIMEOUT: '600' }
    const options = { packages: ['tiny'], installEnv, installNetwork: 'bridge' }
    const installed = install(options, { signal: controller.signal })
    installed.catch(() => {})
    await vi.waitFor(async () => {
      const [container] = await containersOf(engine.docker, base)
      expect(container?.Names[0]).toMatch(/^\/fenced-install-[0-9a-f]+$/)
      const { Processes } = await engine.docker.getContainer(container?.Id ?? '').top()
      expect(Processes.flat().join(' ')).toContain('pip install')
    }, patience)
    controller.abort(reason)
    await expect(installed).rejects.toBe(reason)
  })

  it('need a Python in the image, and pip', async () => {
    await expect(install({ image: 'fenced-test/busybox', packages: ['tiny'] })).rejects.toMatchObject({
      code: 'IMAGE_WITHOUT_PYTHON',
      data: { image: 'fenced-test/busybox', packages: 'tiny', option: 'image' },
    })
    const name = uniqueName()
    onTestFinished(() => removeImage(engine.docker, name))
    await makeImage(engine.docker, name, {
      Dockerfile: `FROM fenced-test/python\nRUN rm -rf "$(python3 -c 'import pip; print(*pip.__path__)')"\n`,
    })
    await expect(install({ image: name, packages: ['tiny'] })).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      data: { output: expect.stringContaining('No module named pip'), option: 'image, build' },
    })
  })

  it('need a requirements file that is there', async () => {
    await expect(install({ requirements: '/nonexistent/requirements.txt' })).rejects.toMatchObject({
      code: 'REQUIREMENTS_NOT_FOUND',
      data: { path: '/nonexistent/requirements.txt', option: 'requirements' },
    })
  })
})

/** Provides an image, and removes the one with the packages when the test has finished. */
async function provideAndForget(provision: Provision): ReturnType<typeof provide> {
  const provided = await provide(provision)
  onTestFinished(() => removeImage(provision.engine.docker, provided.image.id))
  return provided
}

async function containersOf(docker: Docker, image: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { ancestor: [image] } })
}

/** What a Python program in the image prints, run as its user. */
async function output(docker: Docker, image: string, script: string): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ['python3'],
    Cmd: ['-c', script],
    HostConfig: { NetworkMode: 'none' },
  })
  try {
    await container.start()
    await container.wait()
    return String(await container.logs({ stdout: true, stderr: true }))
  } finally {
    await container.remove({ force: true, v: true })
  }
}
