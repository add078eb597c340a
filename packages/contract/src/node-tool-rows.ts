import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { echo, type HostToolRow } from './host-tool-row.ts'

/** Rules for JavaScript and TypeScript programs. */
export const nodeToolRows: readonly HostToolRow[] = [
  {
    name: 'a program passes values of every kind, and gets them back, in JavaScript and TypeScript',
    async check({ run }) {
      const got: unknown[] = []
      const tools = { 'read-it': (input: object) => got.push(input) && input }
      for (const [language, type] of [
        ['javascript', ''],
        ['typescript', ': Record<string, unknown>'],
      ] as const) {
        const { output } = await run({ tools, language })`
const given${type} = { text: "naïve ✓ \n\0", half: 0.5, none: null, list: [1, { a: [] }], blob: Buffer.from([0, 255]) }
const back = await tools.readIt(given)
console.log(back.text === given.text, back.half, back.none, JSON.stringify(back.list), back.blob)`
        equal(output, 'true 0.5 null [1,{"a":[]}] Uint8Array(2) [ 0, 255 ]\n')
      }
      deepEqual(got[1], {
        ...{ text: 'naïve ✓ \n\0', half: 0.5, none: null, list: [1, { a: [] }] },
        blob: new Uint8Array([0, 255]),
      })
    },
  },
  {
    name: 'a tool with a name that every object has is called by its name with `_`, and not by accident',
    async check({ run }) {
      const names = ['ToolError', 'then', 'toJSON', 'toString', 'constructor', 'valueOf']
      const tools = Object.fromEntries(names.map((name) => [name, () => name] as const))
      const { output } = await run({ tools })`
const names = ${JSON.stringify(names)}
for (const name of names) process.stdout.write(await tools[name + "_"]() + " ")
console.log(names.slice(1).map((name) => typeof tools[name]).join(), await tools === tools)`
      equal(output, `${names.join(' ')} ${'undefined,'.repeat(4)}undefined true\n`)
    },
  },
  {
    name: 'failures and denials are errors that the program may catch, with its own line when it does not',
    async check({ run }) {
      const tools = {
        fail: () => {
          throw new Error('out of order')
        },
        pay: { needsApproval: true, execute: () => 'paid' },
      }
      const block = await run({ tools })`
for (const call of [() => tools.fail(), () => tools.pay(), () => tools.nothing()])
  try { await call() } catch (error) { console.log(error.name, error instanceof tools.ToolError, error.message) }
await tools.fail({ n: 1n })`
      match(
        block.stdout,
        /^ToolError true fail: out of order\nToolDenied true pay: .*\nToolError true nothing: there is no tool "nothing"\n$/,
      )
      match(block.stderr, /ToolError: fail: .*BigInt.*\n {4}at .*:3:13/)
      deepEqual(
        block.toolCalls?.map(({ tool, line }) => [tool, line]),
        [
          ['fail', 1],
          ['pay', 1],
        ],
      )
    },
  },
  {
    name: 'a program of JavaScript calls at the same time, and its clock stands while it waits',
    async check({ executor }) {
      const refused = Promise.withResolvers<void>()
      const tools = {
        slow: async (input: object) => {
          await refused.promise
          return input
        },
        wait: () => new Promise<void>((resolve) => setTimeout(resolve, 1_250)),
      }
      const code = `
let refused = 0
async function call(n) {
  try { return await tools.slow({ n, text: "x".repeat(20_000) }) }
  catch { if (++refused === 10) console.log("refused") }
}
const values = await Promise.all(Array.from({ length: 110 }, (_, n) => call(n)))
console.log(values.filter((value, n) => value?.n === n).length)
for (const round of [1, 2]) await tools.wait()
console.log("waited")
setTimeout(() => {}, 60_000)`
      const options = { tools, timeoutMs: 5_000, toolLimits: { maxCallsInFlight: 100 } }
      const execution = executor.execute([{ language: 'javascript', code }], options)
      // Until then each of a hundred holds its place.
      for await (const { type } of execution) if (type === 'stdout') refused.resolve()
      const { status, output, blocks } = await execution
      equal(status, 'timeout')
      match(output, /^refused\n100\nwaited\n/)
      const durationMs = blocks[0]?.durationMs ?? 0
      // The time limit and both waits, less what timers may be early.
      ok(durationMs > 7_400, `it ran for ${durationMs} ms`)
    },
  },
  {
    name: 'a program of JavaScript ends as it would without tools',
    async check({ executor, run }) {
      const exits = await run({ tools: echo })`console.error("no"); process.exitCode = 3`
      deepEqual([exits.status, exits.exitCode, exits.stderr, exits.stdout], ['error', 3, 'no\n', ''])
      const killed = await run({
        tools: echo,
      })`process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 9)`
      deepEqual([killed.status, killed.exitCode], ['error', 137])
      const much = await run({ tools: echo })`process.stdout.write("x".repeat(500_000) + "end")`
      ok(much.stdout.length === 500_003 && much.stdout.endsWith('end'), `${much.stdout.length}`)
      const { output } = await run({ tools: echo })`console.log(typeof tools)`
      equal(output, 'object\n')
      const without = await executor.execute([{ language: 'javascript', code: 'console.log(typeof tools)' }])
      equal(without.output, 'undefined\n')
    },
  },
  {
    name: 'neither a process nor a thread of a program of JavaScript has a way to the tools',
    async check({ run }) {
      const { output } = await run({ tools: echo })`
const { execFileSync, fork } = require("node:child_process")
const { Worker, isMainThread } = require("node:worker_threads")
if (process.argv[2] === "child") console.log("child", typeof tools)
else if (!isMainThread) console.log("thread", typeof tools)
else {
  console.log(execFileSync("sh", ["-c", "test -e /proc/self/fd/3 && echo open || echo closed"], { encoding: "utf8" }).trim())
  fork(__filename, ["child"]).on("exit", () => new Worker(__filename))
}`
      equal(output, 'closed\nchild undefined\nthread undefined\n')
    },
  },
  {
    name: 'garbage and what is too large are refused, and the next call is answered, in JavaScript',
    async check({ run }) {
      const { output } = await run({ tools: echo, toolLimits: { maxBytes: 50_000 } })`
const { writeSync } = require("node:fs")
async function send(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try { at += writeSync(3, bytes, at) } catch { await new Promise((done) => setTimeout(done, 5)) }
  }
}
async function main() {
  await send(Buffer.from("garbage\n\n[]\n{}\n"))
  await send(Buffer.concat([Buffer.from('{"id":99,"input":"'), Buffer.alloc(20_000_000, "x"), Buffer.from('"}\n')]))
  console.log(await tools.echo({ a: 1 }))
}
main()`
      equal(output, '{ a: 1 }\n')
    },
  },
  {
    name: 'a program of JavaScript that calls without end and takes no answer is stopped in its time',
    async check({ run }) {
      const flooded = await run({ tools: echo, timeoutMs: 1_000, toolLimits: { maxCalls: 1_000_000 } })`
const { writeSync } = require("node:fs")
const line = JSON.stringify({ id: 1, tool: "echo", input: { text: "x".repeat(10_000) } }) + "\n"
for (;;) try { writeSync(3, line) } catch {}`
      equal(flooded.status, 'timeout')
      equal((await run({ tools: echo })`console.log(await tools.echo({ a: 1 }))`).output, '{ a: 1 }\n')
    },
  },
  {
    name: 'a call that is not answered when a program of JavaScript ends is ended, and is in the result',
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
tools.hang()
await tools.begun()
process.exit(0)`
      equal(block.status, 'ok')
      equal(await ended.promise, 'aborted')
      const hung = block.toolCalls?.find(({ tool }) => tool === 'hang')
      equal(hung?.error?.kind, 'refused')
    },
  },
]
