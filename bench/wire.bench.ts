import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './measure.ts'
import { beside, compare, type Row, rowsIfMeasured, Skipped, type Spread, spreadOf } from './measure.ts'

const manyCalls = 10_000
const manyConnections = 200
const largeBytes = 2 ** 30
/** Small requests in a round, while the large answer comes. */
const smallRequests = 100

/** `print(1)` with tools that it does not call, and many calls of one. */
async function toolRows(rounds: number): Promise<Row[]> {
  // Two, since the next program is begun as the one before it was: with tools, or without.
  await using withTools = new LocalCommandLineCodeExecutor({ warm: {}, timeoutMs: 300_000 })
  await using without = new LocalCommandLineCodeExecutor({ warm: {} })
  const run = async (code: string, tools?: { ping: () => number }) => {
    const executor = tools === undefined ? without : withTools
    const toolLimits = { maxCalls: manyCalls }
    const { status, output } = await executor.execute(
      [{ language: 'python', code }],
      tools === undefined ? {} : { tools, toolLimits },
    )
    if (status !== 'ok') throw new Error(`A program of the bench failed: ${output}`)
  }
  const tools = { ping: () => 1 }
  const { given, none } = await compare({
    rounds: rounds * 20,
    contenders: { given: () => run('print(1)', tools), none: () => run('print(1)') },
  })
  const { calls } = await compare({
    rounds,
    warmUpRounds: 1,
    contenders: { calls: () => run(`import tools\nfor _ in range(${manyCalls}): tools.ping()`, tools) },
  })
  const memory = await compare({
    rounds: rounds * 4,
    contenders: { given: () => privateMiB(withTools, { tools }), none: () => privateMiB(without, {}) },
  })
  const ratio = memory.given.p50 / memory.none.p50
  return [
    ...beside({
      measured: 'wire: `print(1)` with tools ÷ without',
      ours: given,
      reference: none,
      goal: 1.05,
    }),
    {
      measured: 'wire: private memory of a program with tools ÷ without',
      unit: 'MiB',
      rounds: memory.given.times.length,
      ours: spreadOf(memory.given.times),
      reference: spreadOf(memory.none.times),
      ratio,
      goal: '≤ 1.05',
      met: ratio <= 1.05,
    },
    {
      measured: `wire: a call of a tool, of ${manyCalls.toLocaleString('en')} one after the other`,
      unit: 'ms',
      rounds,
      ours: { p50: calls.p50 / manyCalls, p95: calls.p95 / manyCalls },
      goal: '≤ 0.3 ms',
      met: calls.p50 / manyCalls <= 0.3,
    },
  ]
}

const privatePages = `
import re
with open("/proc/self/smaps_rollup") as rollup:
    print(sum(map(int, re.findall(r"Private_\\w+:\\s+(\\d+) kB", rollup.read()))))`

/** What a program has for itself alone, in MiB, as what took turns is measured. */
async function privateMiB(
  executor: LocalCommandLineCodeExecutor,
  options: { readonly tools?: { ping: () => number } },
): Promise<{ readonly tookMs: number }> {
  const { output } = await executor.execute([{ language: 'python', code: privatePages }], options)
  return { tookMs: Number(output) / 1_024 }
}

/** A server in a separate process, which is not measured. */
const server = `
const chunk = Buffer.alloc(65536, 'x')
require('node:http').createServer((request, response) => {
  let left = Number(request.url.slice(1))
  const send = () => {
    while (left > 0) {
      const part = chunk.subarray(0, Math.min(left, chunk.length))
      left -= part.length
      if (!response.write(part)) return response.once('drain', send)
    }
    response.end()
  }
  send()
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
process.stdin.on('end', () => process.exit()).resume()`

/** Requests by a list in bubblewrap, or straight to the server. */
const client = (port: number, isListed: boolean) => `
import http.client, threading, time
def get(size):
    connection = http.client.HTTPConnection('127.0.0.1', ${isListed ? 3128 : port}, timeout=300)
    connection.request('GET', '${isListed ? `http://127.0.0.1:${port}` : ''}/%d' % size, headers={'Host': '127.0.0.1:${port}'})
    answer = connection.getresponse()
    count = 0
    while True:
        data = answer.read(65536)
        if not data: break
        count += len(data)
    connection.close()
    if answer.status != 200 or count != size: raise SystemExit('%d, %d bytes' % (answer.status, count))
`

const atOnce = `
threads = [threading.Thread(target=get, args=(20000,)) for _ in range(${manyConnections})]
for each in threads: each.start()
for each in threads: each.join()
`

const whileLarge = `
large = threading.Thread(target=get, args=(${largeBytes},))
large.start()
time.sleep(0.2)
count = 0
while large.is_alive() and count < ${smallRequests}:
    begin = time.perf_counter()
    get(10)
    print((time.perf_counter() - begin) * 1000)
    count += 1
    time.sleep(0.01)
large.join()
`

/** Many connections at once, and small ones beside a large one, each by a list and straight. */
async function networkRows(rounds: number): Promise<Row[]> {
  const child = spawn(process.execPath, ['-e', server], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [line] = await once(child.stdout, 'data')
    const port = Number(line)
    const network = {
      allowedCIDRs: ['127.0.0.1/32'],
      ports: [port],
      maxBytes: 2 ** 50,
    } as const
    const limits = { memoryBytes: false, pids: false, timeoutMs: 300_000 } as const
    await using listed = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', network, ...limits })
    await using straight = new LocalCommandLineCodeExecutor({ timeoutMs: 300_000 })
    await startOrSkip(listed)
    const run = async (executor: LocalCommandLineCodeExecutor, code: string) => {
      const beginning = client(port, executor === listed)
      const { status, output } = await executor.execute([{ language: 'python', code: beginning + code }])
      if (status !== 'ok') throw new Error(`A program of the bench failed: ${output}`)
      return output.trim().split('\n').map(Number)
    }
    const latencies = { listed: [] as number[], straight: [] as number[] }
    const { all, allStraight } = await compare({
      rounds,
      warmUpRounds: 1,
      contenders: { all: () => run(listed, atOnce), allStraight: () => run(straight, atOnce) },
    })
    for (let round = 0; round < rounds; round++) {
      latencies.listed.push(...(await run(listed, whileLarge)))
      latencies.straight.push(...(await run(straight, whileLarge)))
    }
    return [
      ...beside({
        measured: `wire: ${manyConnections} connections at once, by a list in bubblewrap ÷ straight`,
        ...{ ours: all, reference: allStraight },
      }),
      besideLarge(spreadOf(latencies.listed), spreadOf(latencies.straight), rounds),
    ]
  } finally {
    child.stdin.end()
  }
}

function besideLarge(ours: Spread, reference: Spread, rounds: number): Row {
  return {
    measured: 'wire: a small answer while 1 GiB comes, by a list in bubblewrap ÷ straight',
    ...{ unit: 'ms', rounds, ours, reference, ratio: ours.p50 / reference.p50 },
    ...{ goal: 'p95 ≤ 5 ms', met: ours.p95 <= 5 },
  }
}

async function startOrSkip(executor: LocalCommandLineCodeExecutor): Promise<void> {
  try {
    await executor.start()
  } catch (cause) {
    if (!FencedError.isInstance(cause)) throw cause
    throw new Skipped(cause.message, { cause })
  }
}

/** Programs that call tools of the host, and that reach hosts of a list. */
export const wireBench: Bench = async ({ rounds = 5 }) => [
  ...(await toolRows(rounds)),
  ...(await rowsIfMeasured('a network by list', () => networkRows(rounds))),
]
