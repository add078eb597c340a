import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { echo, type HostToolRow } from './host-tool-row.ts'

/** After every message, a call is still answered. */
const stillWorks = 'print(tools.echo(a=1))'

export const hostileToolRows: readonly HostToolRow[] = [
  {
    name: 'garbage is refused, and the next call is answered',
    async check({ run }) {
      const { output } = await run({ tools: echo })`
import os
for line in (b"garbage", b"", b"[]", b"7", b"null", b"{}", b'{"id":{},"tool":"echo"}', b'{"id":9,"tool":"__proto__"}', b"\xff\xfe\x00"):
    os.write(tools._connection.calls, line + b"\n")
${stillWorks}`
      equal(output, "{'a': 1}\n")
    },
  },
  {
    name: 'an unknown tool is refused',
    async check({ run }) {
      const { output, toolCalls } = await run({ tools: echo })`
print(tools._connection.call("constructor", {}, 1)["error"])
${stillWorks}`
      match(output, /^\{'kind': 'refused', 'message': 'there is no tool "constructor"'\}\n/)
      equal(toolCalls?.length, 1)
    },
  },
  {
    name: 'calls with a number that JSON cannot carry are refused, and do not stay in flight',
    async check({ run }) {
      const { output, toolCalls } = await run({ tools: echo, toolLimits: { maxCallsInFlight: 2 } })`
for _ in range(5):
    try: tools.echo(a=10**400)
    except tools.ToolError as error: print(error)
${stillWorks}`
      equal(output, `${'echo: wrong arguments: Infinity is not JSON\n'.repeat(5)}{'a': 1}\n`)
      deepEqual(
        toolCalls?.map(({ error }) => error?.kind),
        [...Array.from({ length: 5 }, () => 'refused'), undefined],
      )
    },
  },
  {
    name: 'arguments beyond the limit are refused before they are sent, and while they come',
    async check({ run }) {
      const { output } = await run({ tools: echo, toolLimits: { maxBytes: 50_000 } })`
try: tools.echo(text="x" * 100_000)
except tools.ToolError as error: print(error)
import os
rest = b'{"id":1,"tool":"echo","input":{"text":"' + b"x" * 64_000_000 + b'"}}\n'
while rest: rest = rest[os.write(tools._connection.calls, rest[:1_000_000]):]
${stillWorks}`
      equal(output, "echo: the arguments are larger than 50000 bytes\n{'a': 1}\n")
    },
  },
  {
    name: 'what a tool returns beyond the limit is a failure',
    async check({ run }) {
      const tools = { much: () => 'x'.repeat(100_000) }
      const { output } = await run({ tools, toolLimits: { maxBytes: 50_000 } })`
try: tools.much()
except tools.ToolError as error: print(error)`
      equal(output, 'much: it returned more than 50000 bytes\n')
    },
  },
  {
    name: 'calls beyond the budget, and too many at a time, are refused',
    async check({ run }) {
      const tools = {
        slow: () => new Promise((resolve) => setTimeout(resolve, 1_000, 'done')),
      }
      const { output, toolCalls } = await run({ tools, toolLimits: { maxCalls: 2, maxCallsInFlight: 2 } })`
def attempt():
    try: return tools.slow()
    except tools.ToolError as error: return str(error)
print(sorted(tools.gather(attempt, attempt, attempt)))
print(attempt())`
      match(output, /^\['done', 'done', 'slow: .*'\]\nslow: the block has made all of its 2 calls\n$/)
      equal(toolCalls?.length, 2)
    },
  },
  {
    name: 'a program that calls without end and takes no answer is stopped in its time, and the next one runs',
    async check({ run }) {
      const flooded = await run({ tools: echo, timeoutMs: 1_000, toolLimits: { maxCalls: 1_000_000 } })`
import os
line = b'{"id":1,"tool":"echo","input":{"text":"' + b"x" * 10_000 + b'"}}\n'
while True: os.write(tools._connection.calls, line)`
      equal(flooded.status, 'timeout')
      equal((await run({ tools: echo })`${stillWorks}`).output, "{'a': 1}\n")
    },
  },
  {
    name: 'a process that the program starts has no way to the tools',
    async check({ run }) {
      const { output } = await run({ tools: echo })`
import os, subprocess, sys
print(subprocess.run([sys.executable, "-c", "import tools"], capture_output=True).returncode)
ends = {os.readlink(f"/proc/self/fd/{fd}") for fd in (tools._connection.calls, tools._connection.answers)}
listing = subprocess.run(["sh", "-c", "ls -l /proc/self/fd"], capture_output=True, text=True, close_fds=False).stdout
print([end for end in ends if end in listing])
pid = os.fork()
if pid == 0:
    try: tools.echo(a=1)
    except tools.ToolError as error: print(error, flush=True)
    os._exit(0)
_ = os.waitpid(pid, 0)`
      match(output, /^1\n\[\]\nonly the program itself .*another process\n$/)
    },
  },
  {
    name: 'a call that is not answered when the program ends is ended, and is in the result',
    async check({ run }) {
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<string>()
      const tools = {
        begun: () => begun.promise,
        hang: (_: object, { abortSignal }: { abortSignal: AbortSignal }) => {
          begun.resolve()
          return new Promise<never>(() =>
            abortSignal.addEventListener('abort', () => ended.resolve('aborted')),
          )
        },
      }
      const block = await run({ tools })`
import os, threading
threading.Thread(target=tools.hang, daemon=True).start()
tools.begun()
print("leaves", flush=True)
os._exit(0)`
      deepEqual([block.status, block.output], ['ok', 'leaves\n'])
      equal(await ended.promise, 'aborted')
      const calls = block.toolCalls?.map(({ tool, error }) => [tool, error?.kind] as const) ?? []
      deepEqual(Object.fromEntries(calls), { hang: 'refused', begun: undefined })
    },
  },
  {
    name: 'a call ends when the run is cancelled',
    async check({ run }) {
      const controller = new AbortController()
      const tools = {
        cancel: () => {
          controller.abort()
          return new Promise<never>(() => {})
        },
      }
      const block = await run({ tools, signal: controller.signal })`tools.cancel()`
      equal(block.status, 'cancelled')
      ok(block.toolCalls?.[0]?.error !== undefined)
    },
  },
  {
    name: 'a tool that does not return in its time is a failure of the call',
    async check({ run }) {
      const tools = { hang: () => new Promise<never>(() => {}) }
      const { output } = await run({ tools, toolLimits: { callTimeoutMs: 500 } })`
try: tools.hang()
except tools.ToolError as error: print(error)`
      equal(output, 'hang: it did not return within 500 ms\n')
    },
  },
  {
    name: 'a thousand calls are answered, each with its own answer',
    async check({ run }) {
      const { output, toolCalls } = await run({
        tools: echo,
      })`print(sum(tools.echo(n=n)["n"] == n for n in range(1000)))`
      equal(output, '1000\n')
      equal(toolCalls?.length, 1_000)
    },
  },
]
