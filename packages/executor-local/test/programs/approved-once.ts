import { appendFileSync } from 'node:fs'
import { askingExecutor, DecisionLedger, type LedgerEntries, type LedgerStore } from '@fenced/core'
// @boundaries-ignore The test stops the process at each step of the store; no package exports it.
import { FileLedgerStore } from '../../../core/src/approval/file-ledger.ts'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

// Asks about a program, or a call of a tool, that appends a line to a file, allows it, and runs it. At one point it says so and waits to
// be killed.
const [point = '', ledgerPath = '', directory = '', action = 'program'] = process.argv.slice(2)

/** Writes a line for the parent, and does not return where the parent kills at this point. */
async function reached(name: string): Promise<void> {
  if (name !== point) return
  process.stdout.write(`${JSON.stringify({ point })}\n`)
  await new Promise(() => setInterval(() => {}, 60_000))
}

const store = new FileLedgerStore(ledgerPath)
const create: LedgerStore['create'] = async <Step extends keyof LedgerEntries>(
  key: { readonly id: string; readonly step: Step },
  entry: Parameters<LedgerStore['create']>[1],
) => {
  await reached(`before ${key.step}`)
  const isNew = await store.create(key, entry)
  await reached(`after ${key.step}`)
  return isNew
}
const pausing = {
  create,
  read: (id: string) => store.read(id),
  list: () => store.list(),
  remove: (id: string) => store.remove(id),
}

const ledger = new DecisionLedger({ store: pausing })
const allow = async () => {
  await reached('answered')
  return { decision: 'allow' } as const
}
await using executor = new LocalCommandLineCodeExecutor({ workDir: directory, warm: false })

/** Runs a program that is asked about. It ends by itself, except where it is killed in the middle. */
async function runProgram(): Promise<void> {
  const rest = point === 'first byte' ? 'sleep 600' : ''
  const code = `echo ran >> ran.txt\necho out\n${rest}`
  const approved = askingExecutor(executor, { code: allow }, { ledger })
  for await (const event of approved.execute([{ language: 'sh', code }])) {
    if (event.type === 'approval-requested') {
      process.stdout.write(`${JSON.stringify({ request: event.request })}\n`)
      await reached('shown')
    }
    if (event.type === 'stdout') await reached('first byte')
  }
}

/** Runs a program whose call of a tool is asked about. */
async function makeCall(): Promise<void> {
  const pay = async () => {
    appendFileSync(`${directory}/ran.txt`, 'ran\n')
    await reached('made')
  }
  const options = { tools: { pay }, ask: { tool: allow }, ledger }
  await executor.execute([{ language: 'javascript', code: 'await tools.pay()' }], options)
}

await (action === 'call' ? makeCall() : runProgram())
appendFileSync(`${directory}/over.txt`, 'over\n')
