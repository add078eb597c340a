// @module-tag all

import { createHash } from 'node:crypto'
import { describeHostTools } from '@fenced/contract'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { directExecutor, jupyter, jupyterPython, longGrace, python } from './support.ts'

const withoutNode = 'a kernel runs one language'

/** Rows that are about programs, and not about cells. What they hold besides is tried below. */
const except = {
  'programs in other languages, and later ones without tools, run as ever': withoutNode,
  'a process that the program starts has no way to the tools':
    'a fork of a kernel writes what its parent has not written yet, and the value of the last line is shown',
  'a call that is not answered when the program ends is ended, and is in the result':
    'a cell that ends its process ends the kernel',
}

const rows = rowTags({ nightly: ['of a server: ', 'the clock of the program', 'a thousand calls'] })

describe.skipIf(jupyter.missing)('the contract of host tools in kernels', rows, () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => server.stop())
  describeHostTools({ describe, it }, { name: 'direct', create: () => directExecutor(), withoutNode, except })
  describeHostTools(
    { describe, it },
    { name: 'of a server', create: () => new JupyterCodeExecutor({ server }), withoutNode, except },
  )
})

const echo = { echo: (input: object) => input }

describeBothWays(
  (create) => {
    const executor = create(longGrace)
    afterAll(() => executor.stop())
    const run = async (tools: object | undefined, ...lines: string[]) => {
      const given = tools === undefined ? {} : { tools: { ...echo, ...tools } }
      const { blocks } = await executor.execute([python(...lines)], given)
      return blocks[0] ?? expect.fail('No block was run.')
    }

    it('tools are there for one cell: a later one has no module, and what it kept of it is refused', async () => {
      expect((await run({}, 'import tools', 'tools.echo(a=1)')).output).toContain("{'a': 1}")
      const later = await run(
        undefined,
        'try: tools.echo(a=2)',
        'except Exception as error: print(repr(error))',
      )
      expect(later.output).toBe("ToolError('echo: the block has ended')\n")
      expect(later.toolCalls).toBeUndefined()
      expect((await run(undefined, 'import tools')).output).toContain('ModuleNotFoundError')
      expect((await run({}, 'import tools', 'print(tools.echo(a=3))')).output).toBe("{'a': 3}\n")
    })

    it('a module of the same name that a cell has made is back when the tools are gone', async () => {
      const mine = ['import sys, types', 'sys.modules["tools"] = types.ModuleType("mine")']
      await run(undefined, ...mine)
      expect((await run({}, 'import tools', 'print(tools.echo(a=1))')).output).toBe("{'a': 1}\n")
      const after = await run(undefined, 'import tools', 'print(tools.__name__)', 'del sys.modules["tools"]')
      expect(after.output).toBe('mine\n')
    })

    it('a thread that goes on behind its cell is refused, whether it waits or calls', async () => {
      const aborted = Promise.withResolvers<void>()
      const hang = (_: object, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise<never>(() => abortSignal.addEventListener('abort', () => aborted.resolve()))
      const first = await run(
        { hang },
        'import threading, time, tools',
        'ends = []',
        'def call(tool):',
        '    try: tool()',
        '    except tools.ToolError as error: ends.append(str(error))',
        'waiting = threading.Thread(target=call, args=(tools.hang,))',
        'waiting.start()',
        'time.sleep(0.5)',
      )
      await aborted.promise
      expect(first.toolCalls).toMatchObject([{ tool: 'hang', error: { kind: 'refused' } }])
      const later = await run(
        {},
        'waiting.join()',
        'late = threading.Thread(target=call, args=(tools.echo,))',
        'late.start(); late.join()',
        'print(ends)',
      )
      expect(later.output).toBe("['the host is gone', 'echo: the block has ended']\n")
      expect(later.toolCalls).toEqual([])
    })

    it('neither a command nor a fork of a cell has a way to the tools', async () => {
      const { output } = await run(
        {},
        // Since 3.12, a fork of a process with threads warns.
        'import os, subprocess, sys, tools, warnings',
        'warnings.simplefilter("ignore", DeprecationWarning)',
        'print(subprocess.run([sys.executable, "-c", "import tools"], capture_output=True).returncode)',
        'end = os.readlink(f"/proc/self/fd/{tools._connection.calls}")',
        'listing = subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, text=True, close_fds=False).stdout',
        'print(end in listing)',
        'read, write = os.pipe()',
        'if (pid := os.fork()) == 0:',
        '    try: tools.echo(a=1)',
        '    except tools.ToolError as error: os.write(write, str(error).encode())',
        '    os._exit(0)',
        'waited = os.waitpid(pid, 0)',
        'print(os.read(read, 1000).decode())',
      )
      expect(output).toMatch(/^1\nFalse\nonly the program itself .* another process\n$/)
    })

    it('a question for a person is refused as without tools, and calls go on', async () => {
      const ask = ['try: input("Your name? ")', 'except Exception as error: print(type(error).__name__)']
      const without = await run(undefined, ...ask)
      expect(without.output).toBe('StdinNotImplementedError\n')
      const { output } = await run({}, 'import tools', ...ask, 'print(tools.echo(a=1))')
      expect(output).toBe(`${without.output}{'a': 1}\n`)
    })

    it('an answer of megabytes in any characters comes whole', async () => {
      const text = 'naïve ✓ 😀 "quoted" \\ \n'.repeat(80_000)
      const { output } = await run(
        { long: () => text },
        'import hashlib, tools',
        'print(hashlib.sha256(tools.long().encode()).hexdigest())',
      )
      expect(output).toBe(`${createHash('sha256').update(text).digest('hex')}\n`)
    })

    it('a cell that is cancelled while it waits for an answer leaves its variables, and the next one calls', async () => {
      const controller = new AbortController()
      const tools = {
        hang: () => {
          controller.abort()
          return new Promise<never>(() => {})
        },
      }
      const code = python('kept = 7', 'import tools', 'tools.hang()')
      const cancelled = await executor.execute([code], { tools, signal: controller.signal })
      expect(cancelled.status).toBe('cancelled')
      expect((await run({}, 'import tools', 'print(tools.echo(a=kept))')).output).toBe("{'a': 7}\n")
    })

    it('leaves no descriptor and no thread of a cell behind', async () => {
      const rounds = async (count: number) => {
        for (let round = 0; round < count; round++) await run({}, 'import tools', 'tools.echo(a=1)')
      }
      // IPython opens its history for moments in another thread, and sockets of a cell close soon after it.
      const counted = async () => {
        const { output } = await run(
          undefined,
          'import gc, glob, os, threading',
          'collected = gc.collect()',
          'paths = [os.path.realpath(path) for path in glob.glob("/proc/self/fd/*")]',
          'print(sum("history.sqlite" not in path for path in paths), threading.active_count())',
        )
        const [descriptors = 0, threads = 0] = output.split(' ').map(Number)
        return { descriptors, threads }
      }
      await rounds(5)
      const before = await counted()
      await rounds(35)
      // A leak adds one for each cell. Five are for what is opened once, and late.
      const grown = async () => {
        const after = await counted()
        return Math.max(after.descriptors - before.descriptors, after.threads - before.threads)
      }
      await expect.poll(grown).toBeLessThan(6)
    })
  },
  { isolated: true, rows: rowTags({ nightly: ['of a server'] }) },
)

it.skipIf(jupyter.missing)('a kernel of another language takes no tools', async () => {
  await using executor = directExecutor({ kernelName: 'bash', language: 'bash' })
  const execution = executor.execute([{ language: 'bash', code: 'echo 1' }], { tools: echo })
  await expect(execution).rejects.toMatchObject({ code: 'TOOLS_UNSUPPORTED' })
})
