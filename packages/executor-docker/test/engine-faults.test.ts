import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CodeResult, FencedError } from '@fenced/core'
import { processesLeft, Random, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { noticeCodes, printed, python, sh } from './blocks.ts'
import { type Break, type Fault, requests, type Target } from './faults/fault.ts'
import { expectTrue, outcomeOf, sharedTrial, type Trial, tried } from './faults/trial.ts'
import { containersNamed, rawEngine, removeContainer } from './raw-engine.ts'
import { docker } from './requirements.ts'
import { rounds } from './rounds.ts'

const image = 'fenced-test/busybox'

/** Of the histories of many faults. */
const seeds = Array.from({ length: 2 * rounds }, (_, index) => 60 + index)

/** Where and how a connection may break, as far as the one who is on it can tell them apart. */
const ends: readonly Break[] = [
  { breakAt: 'request', by: 'end' },
  { breakAt: 'sent', by: 'end' },
  { breakAt: 'answer', by: 'end' },
  { breakAt: 10, by: 'end' },
]
const resets: readonly Break[] = [
  { breakAt: 'answer', by: 'reset' },
  { breakAt: 10, by: 'reset' },
]
const breaks = [...ends, ...resets]

type WorkDirMode = 'bind' | 'copy'

interface Row {
  readonly what: string
  readonly target: Target
  readonly fault: Break
  readonly workDirMode: WorkDirMode
}

/** Requests that change nothing: whether the engine has carried one out is all the same. */
const reads: ReadonlySet<RegExp> = new Set(
  (
    ['ping', 'info', 'listContainers', 'inspectImage', 'inspectExec', 'statArchive', 'getArchive'] as const
  ).map((what) => requests[what].path),
)

/** Each end in each place that differs there, and the two resets in turn; with more rounds all of them. */
function broken(workDirMode: WorkDirMode, places: Readonly<Record<string, Target>>): Row[] {
  return Object.entries(places).flatMap(([what, target], index) => {
    const different = reads.has(target.path) ? ends.slice(2) : ends
    const faults = rounds > 1 ? breaks : [...different, ...resets.slice(index % 2, (index % 2) + 1)]
    return faults.map((fault) => ({ what, target, fault, workDirMode }))
  })
}

function isReset(fault: Fault): boolean {
  return 'by' in fault && fault.by === 'reset'
}

async function expectUsable({ executor, proxy }: Pick<Trial, 'executor' | 'proxy'>): Promise<void> {
  proxy.heal()
  expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
}

const rows = rowTags({ nightly: [': copy'] })

// All that is concurrent runs as one group, a few at a time: first what waits long, so that the rest goes on meanwhile.
describe.skipIf(docker.missing)('an engine that is silent', { concurrent: true, timeout: 150_000 }, () => {
  it.each(['bind', 'copy'] as const)(
    'a time limit ends the block all the same: %s',
    rows,
    async (workDirMode) => {
      await tried({ workDirMode, killGraceMs: 500 }, async (trial) => {
        const { proxy, executor } = trial
        const seconds = uniqueSeconds()
        const execution = executor.execute([sh('echo early', `sleep ${seconds}`)], { timeoutMs: 10_000 })
        for await (const { type } of execution) if (type === 'stdout') proxy.freeze()
        const result = await execution
        expect(result.status).toMatch(/^(timeout|died)$/)
        expect(result.blocks[0]?.stdout).toBe('early\n')
        await expectUsable(trial)
        expect(await processesLeft(`${seconds}`)).toEqual([])
      })
    },
  )

  it('a block that it did not begin is not said to have used up its time', async () => {
    await tried({ warm: false, workDirMode: 'copy' }, async (trial) => {
      const { proxy, executor } = trial
      await executor.start()
      proxy.freeze()
      const result = await executor.execute([sh('echo never')], { timeoutMs: 1_000 })
      expect(result).toMatchObject({ status: 'died', exitCode: 255, blocks: [{ stdout: '' }] })
      expect(result.blocks[0]?.notices).toMatchObject([
        { code: 'died', data: { backend: expect.stringContaining(proxy.address) } },
      ])
      await expectUsable(trial)
    })
  })

  it('the files of a block that has ended are not waited for without end', async () => {
    await tried({ warm: false, workDirMode: 'copy' }, async (trial) => {
      const { proxy, executor } = trial
      await executor.start()
      proxy.add(({ method, path }) => {
        if (method === requests.getArchive.method && requests.getArchive.path.test(path)) proxy.freeze()
        return undefined
      })
      const outcome = await outcomeOf(executor.execute([sh('echo made > file')], { timeoutMs: 10_000 }))
      const backend = expect.stringContaining(proxy.address)
      expect(outcome).toMatchObject({ code: 'ENGINE_LOST', data: { backend } })
      await expectUsable(trial)
    })
  })

  it('a container that is kept stays, also under a block that is past its time limit', async () => {
    await tried({ stopContainer: false, killGraceMs: 100 }, async ({ proxy, executor, containerName }) => {
      try {
        await printed(executor, sh('echo first > /tmp/kept'))
        const seconds = uniqueSeconds()
        const execution = executor.execute([sh('echo early', `sleep ${seconds}`)], { timeoutMs: 10_000 })
        for await (const { type } of execution) if (type === 'stdout') proxy.freeze()
        const result = await execution
        expect(result.status).toMatch(/^(timeout|died)$/)
        expect(noticeCodes(result)).toContain('leftovers-remain')
        proxy.heal()
        expect(await printed(executor, sh('cat /tmp/kept'))).toBe('first\n')
        expect(await processesLeft(`${seconds}`)).toEqual([])
      } finally {
        await removeContainer(containerName)
      }
    })
  })

  it('stop() gives up, and can be called again', { tags: 'nightly' }, async () => {
    await tried({}, async ({ proxy, executor, containerName }) => {
      await executor.start()
      proxy.freeze()
      const outcome = await outcomeOf(executor.stop())
      expect(outcome).toMatchObject({ code: 'ENGINE_LOST', data: { fault: 'silent' } })
      proxy.heal()
      await executor.stop()
      expect(await containersNamed(containerName)).toEqual([])
    })
  })

  it.each([
    'ping',
    'info',
    'listContainers',
    'create',
    'start',
    'attach',
    'createExec',
    'startExec',
    'statArchive',
  ] as const)('a start that waits for it can be cancelled: %s', async (what) => {
    await tried({}, async ({ proxy, executor, containerName }) => {
      proxy.inject(requests[what], { breakAt: 'request', by: 'silence' })
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('changed my mind')), 1_000)
      await expect(executor.start({ signal: controller.signal })).rejects.toThrow('changed my mind')
      // The removal of a container continues in the background.
      await vi.waitFor(async () => expect(await containersNamed(containerName)).toEqual([]), 60_000)
    })
  })
})

describe.skipIf(docker.missing)(
  'many faults, one after the other',
  { tags: 'nightly', concurrent: true, timeout: 280_000 },
  () => {
    it.each(seeds)('each block ends truly, and the last one well: seed %i', async (seed) => {
      const counts = { faults: 0, right: 0, died: 0, rejected: 0 }
      await tried({ overTcp: true }, async (trial) => {
        const { proxy, executor } = trial
        const random = new Random(seed)
        proxy.add(({ path }) => {
          if (random.whole(1, requests.startExec.path.test(path) ? 3 : 12) > 1) return undefined
          counts.faults++
          return randomFault(random)
        })
        for (let number = 0; number < 60; number++) {
          const exitCode = random.one([0, 0, 3, 200])
          const block = sh(`echo out ${number}; echo err ${number} >&2; exit ${exitCode}`)
          const outcome = await outcomeOf<CodeResult>(executor.execute([block], { timeoutMs: 30_000 }))
          const expected = { stdout: `out ${number}\n`, stderr: `err ${number}\n`, exitCode }
          counts[expectTrue(outcome, expected)]++
        }
        await expectUsable(trial)
      })
      console.log(`Seed ${seed}:`, counts)
      expect(counts.right).toBeGreaterThan(0)
      expect(counts.died + counts.rejected).toBeGreaterThan(0)
    })
  },
)

describe.skipIf(docker.missing)('nonsense for an answer', { tags: 'nightly', concurrent: true }, () => {
  const html = { type: 'text/html', body: '<html><body><h1>Bad gateway</h1></body></html>' }
  const errors = [
    { status: 502, ...html },
    { status: 500, type: 'application/json', body: '{"mess' },
  ]
  const nonsense = [
    ...errors,
    { status: 200, ...html },
    { status: 200, type: 'application/json', body: '{"Id": "abc' },
    { status: 200, type: 'application/json', body: 'null' },
  ]
  const places = [
    'info',
    'listContainers',
    'create',
    'start',
    'attach',
    'createExec',
    'startExec',
    'statArchive',
  ] as const
  // Each answer in each place, and the request is carried out in every other of them; with more rounds in all and none.
  const rows = nonsense.flatMap((answer, one) =>
    places.flatMap((what, other) =>
      [true, false]
        .filter((isDone) => rounds > 1 || isDone === ((one + other) % 2 === 0))
        .map((isDone) => ({ what, answer, isDone })),
    ),
  )

  it.each(rows)(
    'to $what during a start, done $isDone: $answer.status $answer.body',
    async ({ what, answer, isDone }) => {
      await tried({}, async (trial) => {
        const { proxy, executor, containerName } = trial
        proxy.inject(requests[what], { answer, isDone })
        const outcome = await outcomeOf(executor.start())
        if (FencedError.isInstance(outcome)) {
          // A container that is said to run and does not is one that has ended.
          const isUntrue = what === 'start' && answer.status === 200 && !isDone
          expect(outcome.code).toMatch(isUntrue ? /^CONTAINER_UNUSABLE$/ : /^ENGINE_(FAILED|LOST)$/)
          expect(await containersNamed(containerName)).toEqual([])
        }
        await expectUsable(trial)
      })
    },
  )

  describe('one after the other', { concurrent: false }, () => {
    const trial = sharedTrial({})

    it.each(
      nonsense.flatMap((answer) => (['createExec', 'startExec'] as const).map((what) => ({ what, answer }))),
    )('to $what of a block: $answer.status $answer.body', async ({ what, answer }) => {
      const { proxy, executor } = trial()
      proxy.inject({ ...requests[what], nth: 1 }, { answer, isDone: false })
      // It takes the exec that was opened before, and the next one is answered falsely.
      expectTrue(await outcomeOf(executor.execute([sh('echo out')])), { stdout: 'out\n' })
      expectTrue(await outcomeOf(executor.execute([sh('echo out')])), { stdout: 'out\n' })
      await expectUsable(trial())
    })
  })

  it.each(errors)('to the removal: $status $body', async (answer) => {
    await tried({}, async ({ proxy, executor, containerName }) => {
      await executor.start()
      proxy.inject({ ...requests.remove, nth: 1 }, { answer, isDone: false })
      const outcome = await outcomeOf(executor.stop())
      if (FencedError.isInstance(outcome)) expect(outcome.code).toBe('ENGINE_FAILED')
      await executor.stop()
      expect(await containersNamed(containerName)).toEqual([])
    })
  })
})

describe.skipIf(docker.missing)(
  'a connection that breaks around a block',
  { tags: 'nightly', concurrent: true },
  () => {
    // Frames of 19 bytes, 19 bytes, and 44 bytes for the mark at the end of each stream.
    const program = sh('echo 0123456789', 'sleep 0.2', 'echo abcdefghij >&2', 'sleep 0.2')
    const written = { stdout: '0123456789\n', stderr: 'abcdefghij\n' }

    const rows = [
      ...broken('bind', {
        'making its exec': requests.createExec,
        'starting its exec': requests.startExec,
      }),
      ...broken('copy', {
        'sending the files': requests.putArchive,
        'fetching the files': requests.getArchive,
      }),
    ]
    it.each(rows)('$workDirMode, $what, $fault', async ({ target, fault, workDirMode }) => {
      await tried({ overTcp: isReset(fault), workDirMode }, async (trial) => {
        const { proxy, executor } = trial
        await executor.start()
        // At once: the exec of the block is being opened.
        proxy.inject({ ...target, nth: 1 }, fault)
        await writeFile(join(executor.workDir, 'kept.txt'), 'kept')
        expectTrue(await outcomeOf(executor.execute([program])), written)
        await expectUsable(trial)
        expect(await readFile(join(executor.workDir, 'kept.txt'), 'utf8')).toBe('kept')
      })
    })

    const places: readonly [string, number][] = [
      ['at once after the upgrade', 0],
      ['in the first frame’s header', 5],
      ['in its payload', 12],
      ['between frames', 19],
      ['in the other stream’s header', 22],
      ['in that one’s payload', 30],
      ['after the last byte of the program', 38],
      ['when the program has ended, before the first mark', 40],
      ['when the program has ended, in the first mark', 60],
      ['when the program has ended, between the marks', 81],
      ['when the program has ended, in the second mark', 110],
    ]
    describe.each(['end', 'reset'] as const)('in its output, by %s', { concurrent: true }, (by) => {
      describe('one after the other', { concurrent: false }, () => {
        const trial = sharedTrial({ overTcp: by === 'reset' })

        it.each(places)('%s', async (_, breakAt) => {
          const { proxy, executor } = trial()
          proxy.inject(requests.startExec, { breakAt, by })
          // It takes the exec that was opened before: the next one breaks.
          await outcomeOf(executor.execute([sh('true')]))
          const outcome = await outcomeOf(executor.execute([program]))
          // Whether an end that comes with the upgrade comes after it or instead of it is up to Node.
          expect(expectTrue(outcome, written)).toMatch(breakAt === 0 ? /^(died|rejected)$/ : /^died$/)
          const result = FencedError.isInstance(outcome) ? outcome.result : outcome
          if (!FencedError.isInstance(outcome)) expect(noticeCodes(outcome)).toEqual(['died'])
          expect(result?.blocks[0]?.stdout).toBe(written.stdout.slice(0, Math.max(breakAt - 8, 0)))
          expect(result?.blocks[0]?.stderr).toBe(written.stderr.slice(0, Math.max(breakAt - 19 - 8, 0)))
          await expectUsable(trial())
        })
      })
    })

    it('how a block ended comes with its output, also where the engine does not say', async () => {
      await tried({}, async (trial) => {
        await trial.executor.start()
        trial.proxy.inject(requests.inspectExec, { breakAt: 'answer', by: 'end' })
        expect(expectTrue(await outcomeOf(trial.executor.execute([program])), written)).toBe('right')
        await expectUsable(trial)
      })
    })

    it.each([{ engineKeepsIt: false }, { engineKeepsIt: true }])(
      'the program inside ends, $engineKeepsIt',
      async ({ engineKeepsIt }) => {
        await tried({}, async (trial) => {
          const seconds = uniqueSeconds()
          await trial.executor.start()
          trial.proxy.inject(requests.startExec, { breakAt: 14, by: 'end', engineKeepsIt })
          const hanging = sh('echo early', `sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}`)
          const result = await trial.executor.execute([hanging])
          expect(result).toMatchObject({ status: 'died', exitCode: 255 })
          expect(result.blocks[0]?.stdout).toBe('early\n')
          // Where the engine has not heard of it, it ends with its container.
          if (engineKeepsIt) await expectUsable(trial)
          expect(await processesLeft(`${seconds}`)).toEqual([])
          await expectUsable(trial)
        })
      },
    )

    it.each([0, 8, 12, 20])(
      'nothing on this machine counts as removed because an answer was cut at %i',
      async (breakAt) => {
        await tried({ workDirMode: 'copy' }, async ({ proxy, executor }) => {
          // So large that its archive is left at it, and the rest asked for.
          await writeFile(join(executor.workDir, 'large'), Buffer.alloc(15_000_000))
          const names = ['a.txt', 'large', ...Array.from({ length: 5 }, (_, index) => `z${index}.txt`)]
          for (const name of names) if (name !== 'large') await writeFile(join(executor.workDir, name), name)
          await executor.start()
          let count = 0
          proxy.add(({ path }) => {
            if (!requests.startExec.path.test(path)) return undefined
            // The first is that of the block itself.
            return ++count === 1 ? undefined : { breakAt, by: 'end' }
          })
          await outcomeOf(executor.execute([sh('true')]))
          proxy.heal()
          expect((await readdir(executor.workDir)).sort()).toEqual(names)
          // The exec that waits for the next block was opened through the same fault.
          await outcomeOf(executor.execute([sh('true')]))
          expect(await printed(executor, sh('ls'))).toBe(`${names.join('\n')}\n`)
        })
      },
    )
  },
)

describe.skipIf(docker.missing)(
  'a connection that breaks during a start',
  { tags: 'nightly', concurrent: true },
  () => {
    const rows = [
      ...broken('bind', {
        ping: requests.ping,
        'the engine’s description': requests.info,
        'the list of leftovers': requests.listContainers,
        'the inspection of the image': requests.inspectImage,
        'making the container': requests.create,
        'starting the container': requests.start,
        'making the exec of the probe': requests.createExec,
        'starting the exec of the probe': requests.startExec,
        'asking how the probe ended': requests.inspectExec,
        'looking whether the directory is shared': requests.statArchive,
      }),
      ...broken('copy', {
        'looking at the directory in the container': requests.getArchive,
        'making the exec that opens it to the user': { ...requests.createExec, nth: 2 },
        'starting the exec that opens it to the user': { ...requests.startExec, nth: 2 },
        'asking how that ended': { ...requests.inspectExec, nth: 2 },
        'sending the files': requests.putArchive,
      }),
    ]
    it.each(rows)('$workDirMode, $what, $fault', async ({ target, fault, workDirMode }) => {
      const user = workDirMode === 'copy' ? { user: '4321:4321' } : {}
      await tried({ overTcp: isReset(fault), workDirMode, ...user }, async (trial) => {
        const { proxy, executor, containerName } = trial
        await writeFile(join(executor.workDir, 'data.txt'), 'data')
        proxy.inject({ nth: 1, ...target }, fault)
        const outcome = await outcomeOf(executor.start())
        if (FencedError.isInstance(outcome)) {
          expect(outcome.code).toMatch(/^ENGINE_(LOST|UNREACHABLE)$/)
          const address = isReset(fault) ? proxy.tcpAddress : proxy.address
          // A sandbox names its backend, which names its engine.
          expect(outcome.data?.engine ?? outcome.data?.backend).toContain(address)
          expect(await containersNamed(containerName)).toEqual([])
        }
        proxy.heal()
        expect(await printed(executor, sh('cat data.txt'))).toBe('data')
      })
    })

    it.each([1, 9, 12, 20, 25, 40, 60, 80, 100])(
      'a probe of which %i bytes arrive fails, or has found everything',
      async (breakAt) => {
        await tried({}, async ({ proxy, executor }) => {
          proxy.inject({ ...requests.startExec, nth: 1 }, { breakAt, by: 'end' })
          const outcome = await outcomeOf(executor.start())
          if (FencedError.isInstance(outcome)) expect(outcome.code).toBe('ENGINE_LOST')
          else expect(await printed(executor, sh('echo found'))).toBe('found\n')
        })
      },
    )

    it('an initCommand whose end is not heard of has not succeeded', async () => {
      await tried({ initCommand: 'sleep 1; echo made > made' }, async (trial) => {
        trial.proxy.inject({ ...requests.startExec, nth: 2 }, { breakAt: 0, by: 'end' })
        expect(await outcomeOf(trial.executor.start())).toMatchObject({ code: 'ENGINE_LOST' })
        await expectUsable(trial)
      })
    })
  },
)

describe.skipIf(docker.missing)('a connection that breaks while it stops', { concurrent: true }, () => {
  it.each(breaks)('%o', async (fault) => {
    await tried({ overTcp: isReset(fault) }, async ({ proxy, executor, containerName }) => {
      await executor.start()
      proxy.inject({ ...requests.remove, nth: 1 }, fault)
      const outcome = await outcomeOf(executor.stop())
      if (FencedError.isInstance(outcome)) expect(outcome.code).toBe('ENGINE_LOST')
      await executor.stop()
      expect(await containersNamed(containerName)).toEqual([])
      await executor.start()
      await expectUsable({ executor, proxy })
    })
  })
})

describe.skipIf(docker.missing)('an engine that is slow', { tags: 'nightly', concurrent: true }, () => {
  it('to tell how a block ended is waited for', async () => {
    await tried({}, async ({ proxy, executor }) => {
      await executor.start()
      proxy.inject(requests.inspectExec, { delayMs: 3_000 })
      const result = await executor.execute([sh('echo out', 'exit 3')])
      expect(expectTrue(result, { stdout: 'out\n', exitCode: 3 })).toBe('right')
    })
  })

  it.each(['create', 'start', 'createExec', 'startExec'] as const)(
    'a start that is cancelled during %s leaves nothing',
    async (what) => {
      await tried({}, async ({ proxy, executor, containerName }) => {
        proxy.inject(requests[what], { delayMs: 2_500 })
        const reason = new Error('changed my mind')
        const controller = new AbortController()
        setTimeout(() => controller.abort(reason), 500)
        await expect(executor.start({ signal: controller.signal })).rejects.toBe(reason)
        // The engine carries the request out by then.
        await delay(3_000)
        await vi.waitFor(async () => expect(await containersNamed(containerName)).toEqual([]), 120_000)
      })
    },
  )

  it.each(['create', 'start'] as const)(
    'a %s that is carried out after its connection was cut is made up for',
    async (what) => {
      await tried({}, async ({ proxy, executor, containerName }) => {
        proxy.inject(requests[what], { delayMs: 2_500 })
        const started = outcomeOf(executor.start())
        const isSent = (request: string) =>
          request.startsWith('POST') && requests[what].path.test(request.slice(5))
        await vi.waitFor(() => expect(proxy.seen.some(isSent)).toBe(true), { timeout: 120_000 })
        proxy.breakAll('end')
        expect(await started).toMatchObject({ code: 'ENGINE_LOST' })
        await delay(3_000)
        // The name is not taken: what came late is known to be ours.
        await expectUsable({ executor, proxy })
        expect(await containersNamed(containerName)).toHaveLength(1)
      })
    },
  )

  it.each(['createExec', 'startExec'] as const)(
    'a block whose time is up during %s has not run, or has ended',
    async (what) => {
      await tried({}, async ({ proxy, executor }) => {
        await executor.start()
        proxy.inject(requests[what], { delayMs: 1_500 })
        const seconds = uniqueSeconds()
        const result = await executor.execute([sh(`sleep ${seconds}`)], { timeoutMs: 500 })
        expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
        await delay(1_500)
        expect(await processesLeft(`${seconds}`)).toEqual([])
      })
    },
  )
})

describe.skipIf(docker.missing)(
  'a container of the same name that is somebody else’s',
  { concurrent: true },
  () => {
    it.each(breaks)('stays when making ours breaks: %o', async (fault) => {
      await tried({ overTcp: isReset(fault) }, async ({ proxy, executor, containerName }) => {
        const engine = await rawEngine()
        const foreign = await engine.createContainer({
          name: containerName,
          Image: image,
          Cmd: ['sleep', '60'],
        })
        try {
          proxy.inject(requests.create, fault)
          expect(await outcomeOf(executor.start())).toMatchObject({ code: 'ENGINE_LOST' })
          await executor.stop()
          expect(await containersNamed(containerName)).toMatchObject([{ Id: foreign.id }])
        } finally {
          await foreign.remove({ force: true })
        }
      })
    })
  },
)

describe.skipIf(docker.missing)(
  'answers in small pieces',
  { tags: 'nightly', concurrent: true, timeout: 150_000 },
  () => {
    it('a megabyte of both streams arrives exactly', async () => {
      await tried({ image: 'fenced-test/python' }, async ({ proxy, executor }) => {
        await executor.start()
        const random = new Random(20)
        let count = 0
        proxy.add(() => ({
          pieceSize: () => {
            count++
            return random.whole(1, 13)
          },
        }))
        const result = await executor.execute([
          python(
            'import sys',
            'for number in range(2500):',
            '  sys.stdout.write(f"{number:06d}" * 33 + "ä\\n")',
            '  sys.stderr.write(f"{number:05d}" * 40 + "€\\n")',
            'sys.exit(7)',
          ),
        ])
        const numbers = Array.from({ length: 2_500 }, (_, number) => `${number}`)
        const stdout = numbers.map((number) => `${number.padStart(6, '0').repeat(33)}ä\n`).join('')
        const stderr = numbers.map((number) => `${number.padStart(5, '0').repeat(40)}€\n`).join('')
        expect(expectTrue(result, { stdout, stderr, exitCode: 7 })).toBe('right')
        expect(count).toBeGreaterThan(50_000)
      })
    })

    it('the start, the files and the stop get by with them', async () => {
      await tried({ workDirMode: 'copy' }, async ({ proxy, executor }) => {
        const random = new Random(21)
        proxy.add(() => ({ pieceSize: () => random.whole(1, 5) }))
        const result = await executor.execute([sh('echo made > made.txt; cat made.txt')])
        expect(result).toMatchObject({ status: 'ok', output: 'made\n', files: [{ path: 'made.txt' }] })
        expect(await readFile(join(executor.workDir, 'made.txt'), 'utf8')).toBe('made\n')
      })
    })
  },
)

describe.skipIf(docker.missing)('a proxy that knows no upgrades', { concurrent: true }, () => {
  it('is found out, and nothing goes on in the container', async () => {
    await tried({}, async (trial) => {
      const { proxy, executor } = trial
      await executor.start()
      proxy.inject(requests.startExec, { withoutUpgrade: true })
      const seconds = uniqueSeconds()
      const outcome = await outcomeOf(
        executor.execute([sh('echo early', `sleep ${seconds}`)], { timeoutMs: 5_000 }),
      )
      expect(outcome).toMatchObject({ code: 'ENGINE_FAILED', data: { command: 'docker info' } })
      expect(await processesLeft(`${seconds}`)).toEqual([])
      await expectUsable(trial)
    })
  })
})

function randomFault(random: Random): Fault {
  const kind = random.whole(1, 10)
  if (kind === 1) return { delayMs: random.whole(1, 300) }
  if (kind === 2) return { pieceSize: () => random.whole(1, 9) }
  return {
    breakAt: random.one(['request', 'sent', 'answer', random.whole(0, 140), random.whole(0, 140)]),
    by: random.one(['end', 'reset']),
  }
}
