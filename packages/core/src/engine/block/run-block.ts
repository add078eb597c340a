import type { CodeBlock } from '@fenced/markdown'
import type { Asking } from '../../approval/code-questions.ts'
import { ToolCalls, type ToolCallsParts } from '../../host-tools/tool-calls.ts'
import { type AskConnection, askedForBlock } from '../../network/network-approvals.ts'
import type { SandboxNetwork } from '../../network/network-observer.ts'
import type { BlockResult } from '../../vocabulary/code-result.ts'
import { type FileListing, FileRefusedError } from '../../work-directory/work-directory.ts'
import { type BlockEnd, blockEnd } from '../block-end.ts'
import type { BlockOutcome, ReadLine } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import { explainFailure } from '../failures/explain-failure.ts'
import { keepNamedModules } from '../files/named-modules.ts'
import { FileWatch } from '../files/program-changed.ts'
import { type ProgramFiles, saveDocument, writeProgram } from '../files/program-files.ts'
import { type BlockFiles, BlockRecorder } from '../output/block-recorder.ts'
import type { EventQueue } from '../output/event-queue.ts'
import { planBlock, type RunPlan, type SkipPlan } from '../plan/plan-block.ts'
import { Deadline } from '../time/deadline.ts'
import { noticeOf } from './block-outcome.ts'
import { lineReader } from './input-questions.ts'
import { driverNetwork } from './network-of.ts'
import { PythonPackages } from './python-packages.ts'

/** One block of one call. */
export interface BlockTask {
  readonly block: CodeBlock
  readonly index: number
  readonly events: EventQueue
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly maxWaitMs: number
  readonly tools?: BlockToolsTask | undefined
  /** Decides about what its program does. */
  readonly asking: Pick<Asking, 'asker' | 'ledger'>
  /** Decides about connections of the run. */
  readonly askConnection?: AskConnection | undefined
}

/** The tools that a block may call. */
export type BlockToolsTask = Pick<ToolCallsParts, 'set' | 'limits'>

/** The outcome of a block. */
export interface BlockRun {
  readonly result: BlockResult
  readonly removedFiles: readonly string[]
  /** The error of the driver or the work directory: the executor is at fault, and not the code. */
  readonly fault?: { readonly cause: unknown }
}

/** State that all steps of a block share. Only this file opens, closes, restarts and finishes the recorder. */
interface Steps {
  readonly engine: EngineContext
  readonly recorder: BlockRecorder
  readonly deadline: Deadline
  /** There where the block was given some. */
  readonly tools: ToolCalls | undefined
  readonly task: BlockTask
}

/** Takes one block from its text to its result: every step is here, in order. A fault of the driver is in what it resolves with. */
export async function runBlock(engine: EngineContext, task: BlockTask): Promise<BlockRun> {
  using deadline = new Deadline(engine, { ...task, isReaderBehind: () => task.events.isBehind })
  const hasTools = task.tools !== undefined
  const recorder = new BlockRecorder(engine, { ...task, hasTools }, () => deadline.stop('output-limit'))
  // A program that is being stopped must not wait for a slow reader.
  deadline.signal.addEventListener('abort', () => task.events.release(), { once: true })
  const tools = toolCalls(task, { recorder, deadline })
  const steps: Steps = { engine, recorder, deadline, tools, task }
  try {
    keepNamedModules(engine, task.block)
    const plan = planBlock(task.block, engine)
    if (plan.action === 'skip') return skip(recorder, plan)
    if (plan.action === 'refuse')
      return conclude(recorder, { ...blockEnd({ status: 'invalid' }), notice: plan.notice })
    if (deadline.reason !== undefined) return conclude(recorder, deadline.stoppedEnd(deadline.reason))
    if (plan.action === 'save') {
      return conclude(recorder, blockEnd({ status: 'ok' }), await saveDocument(plan, engine, recorder))
    }
    if (plan.notice !== undefined) recorder.notice(plan.notice)
    await prepare(plan, steps)
    if (deadline.reason !== undefined) return conclude(recorder, deadline.stoppedEnd(deadline.reason))
    await using program = await writeProgram(plan, engine, recorder)
    const before = await program.list()
    recorder.end(await run(program, before, steps))
    await recorder.resultsSaved()
    const changes = await program.changesSince(before, recorder)
    return { result: recorder.finish({ ...program.lasting, ...changes }), removedFiles: changes.removedFiles }
  } catch (cause) {
    if (FileRefusedError.isInstance(cause)) return conclude(recorder, refusedFile(cause))
    return { ...conclude(recorder, blockEnd({ status: 'died' })), fault: { cause } }
  } finally {
    void tools?.end()
  }
}

/** Resolves also when the block is to be stopped meanwhile: the deadline has the reason. */
async function prepare({ language }: RunPlan, { engine, recorder, deadline }: Steps): Promise<void> {
  await deadline.prepare(async (signal) =>
    engine.driver.prepare?.(language, { signal, notice: (notice) => recorder.progress(notice) }),
  )
}

/** Runs a program to its end; once more after each package that was installed for it. */
async function run(program: ProgramFiles, before: FileListing | undefined, steps: Steps): Promise<BlockEnd> {
  const { engine, recorder, deadline } = steps
  const { toolLanguages = [] } = engine.capabilities
  const tools = toolLanguages.includes(program.block.language.id) ? steps.tools : undefined
  // What a tool has done is not done again, either.
  const hasChangedFiles = async () => (tools?.count ?? 0) > 0 || program.haveChangedSince(before)
  const packages = new PythonPackages({
    ...steps,
    hasChangedFiles,
    asking: steps.task.asking,
    blockIndex: steps.task.index,
  })
  const readLine = lineReaderOf(steps)
  for (;;) {
    const file = new FileWatch(program, engine)
    const fileHasChanged = () => file.check()
    let outcome: BlockOutcome | undefined
    const ran = await deadline.run(async (ended) => {
      using _ = watchNetwork(steps)
      using _pause = watchPause(steps)
      const io = recorder.io({ signal: deadline.signal, ended, tools, readLine, fileHasChanged })
      outcome = await engine.driver.run(program.block, io)
      return outcome
    })
    recorder.close()
    recorder.used(outcome?.usage)
    const end = await file.judge(ran, outcome, recorder)
    if (end.status === 'error')
      explainFailure(program, { end, outcome }, { ...steps, blockIndex: steps.task.index })
    const { language, code } = program.block
    if (!engine.capabilities.stateful.includes(language.id)) engine.earlierPrograms.add(language.id, code)
    const next = await packages.next(program.block, end)
    if ('end' in next) {
      recorder.noteConnections()
      await tools?.end()
      return next.end
    }
    recorder.restart()
    recorder.notice(next.runAgain)
  }
}

function toolCalls(
  { tools, asking, index }: BlockTask,
  { recorder, deadline }: Pick<Steps, 'recorder' | 'deadline'>,
): ToolCalls | undefined {
  if (tools === undefined) return undefined
  return new ToolCalls({
    ...tools,
    asking,
    blockIndex: index,
    signal: deadline.signal,
    hold: (waitingFor) => deadline.hold(waitingFor),
    onCall: (call) => recorder.toolCall(call),
    onResult: (call) => recorder.toolResult(call),
  })
}

function lineReaderOf({ engine, recorder, deadline, task }: Steps): ReadLine | undefined {
  const { asker } = task.asking
  if (engine.capabilities.inputRequests !== true || !asker.has('input')) return undefined
  return lineReader(asker, {
    executor: engine.name,
    blockIndex: task.index,
    signal: deadline.signal,
    hold: () => deadline.hold('people'),
    redact: (text) => recorder.redact(text),
    notice: (notice) => recorder.notice(notice),
  })
}

/** Reports the program's connections and asks about them, until it is disposed. `undefined` for a network without a list. */
function watchNetwork({ engine, recorder, deadline, task }: Steps): Disposable | undefined {
  const network = driverNetwork(engine.driver)
  if (network === undefined) return undefined
  const { askConnection, index: blockIndex } = task
  const before = network.traffic
  const ended = new AbortController()
  const signal = AbortSignal.any([deadline.signal, ended.signal])
  const block = { executor: engine.name, blockIndex, signal, hold: () => deadline.hold('people') }
  const watching = network.watch({
    onConnection: (connection) => recorder.connection(connection),
    ask: askConnection && askedForBlock(askConnection, block),
  })
  return {
    [Symbol.dispose]: () => {
      watching[Symbol.dispose]()
      ended.abort()
      recorder.used(trafficSince(before, network))
    },
  }
}

/** Stops the time limit of the program while its sandbox is paused, until it is disposed. */
function watchPause({ engine, deadline }: Steps): Disposable | undefined {
  const { sandbox } = engine.driver
  let pause = sandbox?.isPaused ? deadline.pause() : undefined
  const watching = sandbox?.watchPause?.((isPaused) => {
    pause?.[Symbol.dispose]()
    pause = isPaused ? deadline.pause() : undefined
  })
  return {
    [Symbol.dispose]: () => {
      watching?.[Symbol.dispose]()
      pause?.[Symbol.dispose]()
    },
  }
}

function trafficSince(
  before: SandboxNetwork['traffic'],
  { traffic }: SandboxNetwork,
): SandboxNetwork['traffic'] {
  if (before === undefined || traffic === undefined) return undefined
  return {
    bytesSent: traffic.bytesSent - before.bytesSent,
    bytesReceived: traffic.bytesReceived - before.bytesReceived,
  }
}

function skip(recorder: BlockRecorder, { notice }: SkipPlan): BlockRun {
  return conclude(recorder, { ...blockEnd({ status: 'skipped' }), notice })
}

/** The result of a block of which no program was run, or not to its end. */
function conclude(recorder: BlockRecorder, end: BlockEnd, files: BlockFiles = {}): BlockRun {
  recorder.end(end)
  return { result: recorder.finish(files), removedFiles: [] }
}

function refusedFile({ message, data }: FileRefusedError): BlockEnd {
  const notice = noticeOf('file-name', { message: `${message} Nothing was written.`, data })
  return { ...blockEnd({ status: 'invalid' }), notice }
}
