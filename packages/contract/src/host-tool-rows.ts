import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { ToolApprovalRequest } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { echo, type HostToolRow } from './host-tool-row.ts'

export const hostToolRows: readonly HostToolRow[] = [
  {
    name: 'a program passes values of every kind, and gets them back',
    async check({ run }) {
      const got: unknown[] = []
      const tools = {
        echo: (input: object) => got.push(input) && { ...input, blob: new Uint8Array([0, 255]) },
      }
      const block = await run({ tools })`
back = tools.echo(text="naïve ✓ \n\0", number=2**53 - 1, half=0.5, none=None, yes=True, list=[1, {"a": []}], blob=b"\x00\xff")
print(back == {"text": "naïve ✓ \n\0", "number": 2**53 - 1, "half": 0.5, "none": None, "yes": True, "list": [1, {"a": []}], "blob": b"\x00\xff"})`
      equal(block.output, 'True\n')
      deepEqual(got, [
        {
          ...{ text: 'naïve ✓ \n\0', number: 2 ** 53 - 1, half: 0.5, none: null, yes: true },
          ...{ list: [1, { a: [] }], blob: new Uint8Array([0, 255]) },
        },
      ])
    },
  },
  {
    name: 'a tool with a name that Python or its module of tools has is called all the same',
    async check({ run }) {
      const names = ['ToolError', 'ToolNotFound', 'search', 'class', '__name__', '_call']
      const builtins = ['len', 'isinstance', 'getattr', 'setattr', 'globals', 'type', 'list', 'TypeError']
      const tools = Object.fromEntries([...names, ...builtins].map((name) => [name, () => name] as const))
      const called = ['ToolError_', 'ToolNotFound_', 'search_', 'class_', 't__name__', 't_call']
      const { output } = await run({ tools })`
import tools
print(*[getattr(tools, name)(given={1}) for name in ${JSON.stringify([...called, ...builtins])}])
print(tools.search("isinst").strip(": "))
try: tools.none()
except tools.ToolNotFound: print("none")`
      equal(output, `${[...names, ...builtins].join(' ')}\nisinstance\nnone\n`)
    },
  },
  {
    name: 'arguments and what is returned are checked against their schemas, with defaults',
    async check({ run }) {
      const tools = {
        double: {
          description: 'Doubles a number.',
          inputSchema: z.object({ number: z.number(), times: z.int().default(2) }),
          execute: ({ number, times }: { number: number; times: number }) => number * times,
        },
        wrong: {
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
          outputSchema: z.string(),
          execute: () => 7,
        },
      }
      const { output } = await run({ tools })`
print(tools.double(21), tools.double(number=5, times=3))
for call in (lambda: tools.double("x"), lambda: tools.double(), lambda: tools.double(float("nan")), lambda: tools.none(),
             lambda: tools.double(object()), lambda: tools.double(2**53 + 1), lambda: tools.wrong()):
    try: call()
    except tools.ToolError as error: print(type(error).__name__, error)`
      match(
        output,
        /^42 15\nToolError double: wrong arguments: number: .*\nToolArgumentError .*\nToolArgumentError .*\nToolNotFound .*'none'\nToolArgumentError double: .*\nToolError double: wrong arguments: 9007199254740993 is .*\nToolError wrong: it returned what does not match its schema: .*\n$/,
      )
    },
  },
  {
    name: 'a failure is an exception that the program may catch, with the line in the result when it does not',
    async check({ run }) {
      const tools = {
        fail: () => {
          throw new Error('out of order')
        },
      }
      const caught = await run({ tools })`
try: tools.fail()
except tools.ToolError as error: print("caught", error)`
      equal(caught.output, 'caught fail: out of order\n')
      const failed = await run({ tools })`

tools.fail()`
      equal(failed.status, 'error')
      match(failed.output, /line 3[\s\S]*ToolError: fail: out of order/)
      equal(failed.toolCalls?.[0]?.line, 3)
    },
  },
  {
    name: 'events and the result have every call, redacted nowhere else than in them',
    async check({ executor }) {
      const code = 'import tools\nprint("before")\nprint(tools.echo(n=1)["n"] + 1)'
      const execution = executor.execute([{ language: 'python', code }], { tools: echo })
      const seen: string[] = []
      for await (const event of execution) {
        if (event.type === 'tool-call')
          seen.push(`call ${event.call.tool} ${JSON.stringify(event.call.input)}`)
        if (event.type === 'tool-result') seen.push(`result ${JSON.stringify(event.call.output)}`)
      }
      const [block] = (await execution).blocks
      deepEqual(seen, ['call echo {"n":1}', 'result {"n":1}'])
      equal(block?.output, 'before\n2\n')
      const [call] = block?.toolCalls ?? []
      deepEqual([call?.tool, call?.input, call?.output, call?.line], ['echo', { n: 1 }, { n: 1 }, 3])
      ok((call?.durationMs ?? -1) >= 0)
    },
  },
  {
    name: 'somebody is asked, with the arguments; a denial is an exception with the reason',
    async check({ run }) {
      const asked: ToolApprovalRequest[] = []
      const allow = { decision: 'allow' } as const
      const deny = { decision: 'deny', reason: 'not that one' } as const
      const tool = async (request: ToolApprovalRequest) => {
        asked.push(request)
        return asked.length === 1 ? allow : deny
      }
      const block = await run({ tools: echo, ask: { tool } })`
print(tools.echo(file="a"))
try: tools.echo(file="b")
except tools.ToolDenied as error: print("denied", error)`
      equal(block.output, "{'file': 'a'}\ndenied echo: not that one\n")
      deepEqual(
        asked.map(({ kind, tool, input, line, blockIndex }) => [kind, tool, input, line, blockIndex]),
        [
          ['tool', 'echo', { file: 'a' }, 2, 0],
          ['tool', 'echo', { file: 'b' }, 3, 0],
        ],
      )
      deepEqual(block.toolCalls?.[1]?.error, { kind: 'denied', message: 'not that one' })
      deepEqual(
        asked.map(({ toolCallId }) => toolCallId),
        block.toolCalls?.map(({ id }) => id),
      )
    },
  },
  {
    name: 'a tool that needs an approval is denied where nobody can be asked',
    async check({ run }) {
      const tools = { pay: { needsApproval: true, execute: () => 'paid' }, ...echo }
      const { output } = await run({ tools })`
try: tools.pay()
except tools.ToolDenied: print("denied")
print(tools.echo(a=1))`
      equal(output, "denied\n{'a': 1}\n")
    },
  },
  {
    name: 'the clock of the program stands while it waits for an answer, and goes on after it',
    async check({ run }) {
      const tools = { wait: () => new Promise((resolve) => setTimeout(resolve, 2_500, 'waited')) }
      const { status, output, durationMs } = await run({ tools, timeoutMs: 5_000 })`
print(tools.wait(), flush=True)
import time; time.sleep(60)`
      equal(status, 'timeout')
      match(output, /^waited\n/)
      // Both times, less what timers may be early.
      ok(durationMs > 7_400, `it ran for ${durationMs} ms`)
    },
  },
  {
    name: 'calls are made at the same time by gather, and by threads',
    async check({ run }) {
      let most = 0
      let now = 0
      const tools = {
        slow: async ({ n }: { n: number }) => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setTimeout(resolve, 500))
          now--
          return n * 10
        },
      }
      const { output } = await run({ tools })`
print(tools.gather(*[lambda n=n: tools.slow(n=n) for n in range(4)]))`
      equal(output, '[0, 10, 20, 30]\n')
      ok(most > 1, `${most} at a time`)
    },
  },
  {
    name: 'as many calls as may wait at a time are answered, and those beyond are refused',
    async check({ executor }) {
      const refused = Promise.withResolvers<void>()
      const tools = {
        slow: async (input: object) => {
          await refused.promise
          return input
        },
      }
      const code = `
import threading, tools
ends = []
def call(n):
    try: ends.append(tools.slow(n=n, text="x" * 20_000)["n"] == n)
    except tools.ToolError:
        ends.append("refused")
        if ends.count("refused") == 10: print("refused", flush=True)
threads = [threading.Thread(target=call, args=(n,)) for n in range(110)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(ends.count(True), ends.count("refused"))`
      const options = { tools, toolLimits: { maxCallsInFlight: 100 } }
      const execution = executor.execute([{ language: 'python', code }], options)
      // Until then each of a hundred holds its place.
      for await (const { type } of execution) if (type === 'stdout') refused.resolve()
      match((await execution).output, /^(?:refused\n)+100 10\n$/)
    },
  },
  {
    name: 'a program finds out what there is by help and search',
    async check({ run }) {
      const tools = {
        'read-file': {
          description: 'Reads a file.',
          inputSchema: z.object({ path: z.string() }),
          execute: () => '',
        },
        class: { description: 'A word of Python.', execute: () => '' },
      }
      const { output } = await run({ tools })`
print(tools.search("FILE"))
help(tools.read_file)
print(tools.__all__)`
      match(output, /^read_file: Reads a file\.\n/)
      match(output, /read_file\(path: 'str'\) -> 'Any'/)
      match(output, /\['read_file', 'class_'\]\n$/)
    },
  },
  {
    name: 'programs in other languages, and later ones without tools, run as ever',
    async check({ executor }) {
      const blocks = [
        { language: 'sh', code: 'echo shell' },
        { language: 'python', code: 'import tools; print(tools.echo(a=1))' },
      ]
      equal((await executor.execute(blocks, { tools: echo })).output, "shell\n{'a': 1}\n")
      const without = await executor.execute([{ language: 'python', code: 'import tools' }])
      match(without.output, /ModuleNotFoundError/)
      equal(without.blocks[0]?.toolCalls, undefined)
    },
  },
]
