import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { printed, python, sh } from './blocks.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/python'

async function using<Result>(
  options: DockerExecutorOptions,
  act: (executor: DockerCommandLineCodeExecutor) => Promise<Result>,
): Promise<Result> {
  await using executor = new DockerCommandLineCodeExecutor({ image, ...options })
  return await act(executor)
}

describe.skipIf(docker.missing)('without any option, the code', () => {
  const executor = new DockerCommandLineCodeExecutor({ image, user: '4321:4321', workDirMode: 'copy' })
  beforeAll(() => executor.start())
  afterAll(() => executor.stop())

  it('has no capability of the kernel, and cannot get one', async () => {
    const status = await printed(executor, sh('cat /proc/self/status'))
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`Cap${set}:\\s0000000000000000`))
    }
    expect(status).toMatch(/NoNewPrivs:\s1/)
    expect(status).toMatch(/Seccomp:\s2/)
  })

  it('is the given user, who has a name and a home that can be written to', async () => {
    const output = await printed(
      executor,
      sh('id -u; id -g; echo $HOME; touch $HOME/x && ls $HOME'),
      python('import getpass, pathlib; print(getpass.getuser(), pathlib.Path.home())'),
    )
    expect(output).toBe('4321\n4321\n/home/user\nx\nuser /home/user\n')
  })

  it('writes into the working directory, /tmp and its home, and nowhere else', async () => {
    const places = '/workspace /tmp /home/user / /etc /usr/local /var/tmp /opt'
    const output = await printed(
      executor,
      sh(`for place in ${places}; do touch $place/made 2>/dev/null && echo $place; done; true`),
    )
    expect(output).toBe('/workspace\n/tmp\n/home/user\n')
  })

  it('has no network interface but its own loopback', async () => {
    expect(await printed(executor, python('import os; print(os.listdir("/sys/class/net"))'))).toBe("['lo']\n")
  })

  it('sees nothing of this process’s environment', async () => {
    process.env.FENCED_TEST_SECRET = 'hunter2'
    await using fresh = new DockerCommandLineCodeExecutor({ image })
    expect(await printed(fresh, sh('env; cat /proc/1/environ 2>&1; true'))).not.toContain('hunter2')
    delete process.env.FENCED_TEST_SECRET
  })

  it('cannot signal what keeps the container', async () => {
    const keeper = await printed(
      executor,
      sh(
        'for p in /proc/[0-9]*; do grep -q fenced-keep-alive $p/cmdline && kill -9 "$(basename $p)"; done; kill -9 1; echo alive',
      ),
    )
    expect(keeper).toContain('alive')
    expect(await printed(executor, sh('echo still here'))).toBe('still here\n')
  })

  it('does not see the engine’s socket', async () => {
    expect(await printed(executor, sh('ls /var/run/docker.sock /run/docker.sock 2>/dev/null; true'))).toBe('')
  })
})

describe.skipIf(docker.missing)('an option', () => {
  it('memoryBytes: what goes beyond is out-of-memory, and the executor lives on', () =>
    using({ memoryBytes: 64 * 2 ** 20 }, async (executor) => {
      const result = await executor.execute([python('x = b"x" * 200_000_000')])
      expect(result).toMatchObject({ status: 'out-of-memory', exitCode: 137 })
      expect(result.blocks[0]?.notices).toMatchObject([{ code: 'out-of-memory' }])
      expect(await printed(executor, python('print(7)'))).toBe('7\n')
    }))

  it.each([
    ['warm', true],
    ['cold', false],
  ])('memoryBytes: a process that it ends beside the program is a notice, %s', (_, warm) =>
    using({ warm, memoryBytes: 64 * 2 ** 20 }, async (executor) => {
      const child = 'subprocess.run([sys.executable, "-c", "bytearray(200_000_000)"])'
      const result = await executor.execute([python('import subprocess, sys', child)])
      const data = { limit: 'memoryBytes', limitBytes: `${64 * 2 ** 20}` }
      expect(result).toMatchObject({
        status: 'ok',
        blocks: [{ notices: [{ code: 'process-out-of-memory', data }] }],
      })
      const next = await executor.execute([python('print(7)')])
      expect(next).toMatchObject({ output: '7\n', blocks: [{ notices: [] }] })
    }),
  )

  it('a program that kills itself is not taken for one out of memory', () =>
    using({}, async (executor) => {
      const result = await executor.execute([python('import os; os.kill(os.getpid(), 9)')])
      expect(result).toMatchObject({
        ...{ status: 'error', exitCode: 137 },
        blocks: [{ notices: [{ code: 'ended-by-signal', data: { signal: 'SIGKILL' } }] }],
      })
    }))

  it('pids: forks are refused beyond, and the block can still be stopped', () =>
    using({ pids: 16 }, async (executor) => {
      const bomb = python('import os', 'while True:', '  try: os.fork()', '  except OSError: pass')
      const result = await executor.execute([bomb], { timeoutMs: 1_000 })
      expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
      expect(await printed(executor, python('print(7)'))).toBe('7\n')
    }))

  it('cpus: is what the kernel was told', () =>
    using({ cpus: 0.5 }, async (executor) => {
      const quota = await printed(
        executor,
        sh('cat /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
      )
      expect(quota).toMatch(/^50000\b/)
    }))

  it('readOnlyRoot: false lets root write into the image', () =>
    using({ readOnlyRoot: false, user: '0:0' }, async (executor) => {
      expect(await printed(executor, sh('touch /opt/made && ls /opt'))).toBe('made\n')
    }))

  it('addCapabilities gives just that one', () =>
    using({ addCapabilities: ['CHOWN'], user: '0:0' }, async (executor) => {
      expect(await printed(executor, sh('grep CapEff /proc/self/status'))).toMatch(/0000000000000001\n$/)
    }))

  it('env: is seen, and stands above what we set', () =>
    using({ env: { GREETING: 'hello you', PAGER: 'less' } }, async (executor) => {
      expect(await printed(executor, sh('echo "$GREETING" $PAGER'))).toBe('hello you less\n')
    }))

  it('extraHosts: names are found', () =>
    using({ extraHosts: { 'model.test': '192.0.2.7' } }, async (executor) => {
      expect(
        await printed(executor, python('import socket; print(socket.gethostbyname("model.test"))')),
      ).toBe('192.0.2.7\n')
    }))

  it('initCommand: runs once for the container, as the code’s user', () =>
    using(
      { initCommand: 'id -u > made-by-init; echo once >> $HOME/log', user: '4321', workDirMode: 'copy' },
      async (executor) => {
        expect(await printed(executor, sh('cat made-by-init $HOME/log'))).toBe('4321\nonce\n')
        expect(await printed(executor, sh('cat $HOME/log'))).toBe('once\n')
      },
    ))

  it('initCommand: what it leaves running outlives a block that is stopped', () =>
    using({ initCommand: 'sleep 7123 > /dev/null & echo $! > $HOME/service' }, async (executor) => {
      const stopped = await executor.execute([sh('sleep 7124')], { timeoutMs: 500 })
      expect(stopped.status).toBe('timeout')
      expect(await printed(executor, sh('kill -0 $(cat $HOME/service) && echo it runs'))).toBe('it runs\n')
    }))

  it('initCommand: its failure is the start’s, with its words', async () => {
    await expect(
      using({ initCommand: 'echo no such thing; exit 3' }, (executor) => executor.start()),
    ).rejects.toMatchObject({
      code: 'INIT_COMMAND_FAILED',
      data: { exitCode: '3', output: 'no such thing' },
    })
  })

  it('volumes: can be read, and written to only where that was said', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-volume-'))
    await chmod(directory, 0o777)
    await writeFile(join(directory, 'data'), 'data\n')
    const volumes = [
      { source: directory, target: '/data' },
      { source: directory, target: '/results', readOnly: false },
    ]
    try {
      await using({ volumes }, async (executor) => {
        expect(
          await printed(executor, sh('cat /data/data; touch /data/made 2>/dev/null || echo refused')),
        ).toBe('data\nrefused\n')
        await printed(executor, sh('echo made > /results/made'))
      })
      expect(await readFile(join(directory, 'made'), 'utf8')).toBe('made\n')
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('allowWeakerIsolation: is said at the start and in every result', () =>
    using(
      { createOptions: { HostConfig: { IpcMode: 'host' } }, allowWeakerIsolation: true },
      async (executor) => {
        const heard: Notice[] = []
        await executor.start({ onNotice: (notice) => heard.push(notice) })
        expect(heard).toContainEqual({
          code: 'weaker-isolation',
          message: expect.any(String),
          data: { option: 'createOptions', fields: 'HostConfig.IpcMode' },
        })
        const { isolation } = await executor.execute([sh('true')])
        expect(isolation.particulars).toMatchObject({ weakenedBy: 'HostConfig.IpcMode' })
      },
    ))

  it.each([
    [{}, { memoryBytes: 2 ** 31, cpus: 1, pids: 256 }],
    [
      { memoryBytes: 2 ** 28, cpus: 0.5, pids: 100 },
      { memoryBytes: 2 ** 28, cpus: 0.5, pids: 100 },
    ],
    [
      { memoryBytes: false, cpus: false, pids: false },
      { memoryBytes: false, cpus: false, pids: false },
    ],
  ] as const)('limits %j: a result has those that the engine has set', (limits, found) =>
    using(limits, async (executor) => {
      const { isolation } = await executor.execute([sh('true')])
      expect(isolation.particulars).toMatchObject(found)
      expect(executor.sandbox?.limitsInForce).toEqual(
        Object.fromEntries(Object.entries(found).filter(([, limit]) => limit !== false)),
      )
    }),
  )

  it('createOptions: reach the engine', () =>
    using({ createOptions: { Hostname: 'kitchen', Env: ['A=1'] } }, async (executor) => {
      expect(await printed(executor, sh('hostname; echo $A'))).toBe('kitchen\n1\n')
    }))

  it('network: without one, the failure says which option gives one', () =>
    using({}, async (executor) => {
      const result = await executor.execute([
        python('import urllib.request; urllib.request.urlopen("http://fenced.invalid/")'),
      ])
      expect(result.status).toBe('error')
      expect(result.blocks[0]?.notices).toMatchObject([{ code: 'no-network' }])
    }))

  it('network: bridge is another one than none', () =>
    using({ network: 'bridge' }, async (executor) => {
      expect(executor.capabilities.network).toBe('open')
      expect(
        await printed(executor, python('import os; print(sorted(os.listdir("/sys/class/net")))')),
      ).toContain('eth0')
    }))
})

describe.skipIf(docker.missing)('files of the code', () => {
  it.each(['bind', 'copy'] as const)('belong to the caller and are listed: %s', async (workDirMode) => {
    const caller = `${process.getuid?.()}:${process.getgid?.()}`
    // Root gives a temporary directory to the programs' user.
    const user = caller === '0:0' && workDirMode === 'bind' ? '65534:65534' : caller
    await using(
      { workDirMode, ...(workDirMode === 'copy' ? { user: '4321:4321' } : {}) },
      async (executor) => {
        const result = await executor.execute([
          sh('mkdir -p deep/er; echo one > deep/er/one.txt; echo two > two.txt; chmod +x two.txt'),
        ])
        expect(result.files.map(({ path, change }) => `${change} ${path}`).sort()).toEqual([
          'created deep/er/one.txt',
          'created two.txt',
        ])
        const made = await stat(join(executor.workDir, 'deep/er/one.txt'))
        expect(`${made.uid}:${made.gid}`).toBe(user)
        await rm(join(executor.workDir, 'deep'), { recursive: true })
        expect(await printed(executor, sh('ls'))).toBe('two.txt\n')
        await writeFile(join(executor.workDir, 'three.txt'), 'three')
        await chmod(join(executor.workDir, 'three.txt'), 0o666)
        const second = await executor.execute([sh('cat three.txt; rm two.txt; echo more >> three.txt')])
        expect(second).toMatchObject({ output: 'three', files: [{ path: 'three.txt', change: 'changed' }] })
        expect(await readFile(join(executor.workDir, 'three.txt'), 'utf8')).toBe('threemore\n')
      },
    )
  })
})
