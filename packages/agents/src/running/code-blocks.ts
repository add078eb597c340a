import {
  type CodeBlock,
  createLanguageTable,
  type ExecutorCapabilities,
  extractCodeBlocks,
} from '@fenced/core'
import { decideBlock, isWrongLanguage } from '@fenced/core/internal'
import type { Message } from '../message/message.ts'
import { writtenTextOf } from '../message/written-text.ts'
import type { RunContext } from './run-with-events.ts'
import type { TeamPrograms } from './team-programs.ts'

/** What is known of a text that a model wrote. See `MessageMetadata`. */
export interface Written {
  readonly isCut?: boolean | undefined
  readonly startsInReasoning?: boolean | undefined
}

/** The blocks of a text. A block without an end says so where the text was cut off. */
export function blocksIn(text: string, { isCut, startsInReasoning }: Written = {}): CodeBlock[] {
  const blocks = extractCodeBlocks(text, { startsInReasoning: startsInReasoning === true })
  if (isCut !== true) return blocks
  return blocks.map((block) => (block.closed === false ? { ...block, almostClosed: wasCut } : block))
}

const wasCut = 'The answer was cut off at its token limit.'

const known = new WeakMap<Message, readonly CodeBlock[]>()

/** The blocks that a model or a person wrote; none of those that a program printed. Each message is parsed once. */
export function blocksOf(message: Message): CodeBlock[] {
  const blocks = known.get(message) ?? blocksIn(writtenTextOf(message), message.metadata)
  known.set(message, blocks)
  return structuredClone(blocks) as CodeBlock[]
}

/** How an agent treats the programs that it hears. */
interface Hearing {
  readonly executor: { readonly capabilities: Pick<ExecutorCapabilities, 'languages'> }
  /** Languages that the agent runs. @default all of the executor */
  readonly supportedLanguages?: readonly string[] | undefined
  /** Whether the executor is given blocks in other languages too, and names those that it does not run. @default false */
  readonly namesOthers?: boolean
  /** Absent outside of teams. */
  readonly programs?: TeamPrograms | undefined
  /** Agents whose programs it runs also where another member has. @default none */
  readonly sources?: readonly string[] | undefined
}

/** The programs among blocks, as an agent treats them. */
interface Programs {
  /** What the executor is given, with data between the programs. Empty if none of the blocks is run. */
  readonly blocks: readonly CodeBlock[]
  /** Text for the model about programs that are not run; empty without such programs. */
  readonly withheld: string
  /** Why nothing is run, for the author; `undefined` where something is, or there are no blocks. */
  readonly why: string | undefined
}

/** The programs of messages, as a member of a team treats them. */
export interface HeardPrograms extends Programs {
  /** Those that another member has run. */
  readonly skipped: readonly SkippedPrograms[]
  /** Keeps the other members from running these programs. Called before they run. */
  readonly claim: () => void
}

/** Decides which of the blocks an agent runs. */
export function programsAmong(all: readonly CodeBlock[], hearing: Hearing): Programs {
  const { languages } = hearing.executor.capabilities
  const { supportedLanguages: runs = languages, namesOthers = false } = hearing
  const withheld = new Set(all.filter((block) => isRun(block, languages) && !isRun(block, runs)))
  const isAny = all.some((block) => (namesOthers ? isCode(block, runs) : isRun(block, runs)))
  return {
    blocks: isAny ? all.filter((block) => !withheld.has(block)) : [],
    withheld: whyNotRun([...withheld], runs)
      .map((reason) => `${reason}\n`)
      .join(''),
    why: isAny || all.length === 0 ? undefined : ['No code was run.', ...whyNotRun(all, runs)].join('\n'),
  }
}

/** The programs of messages, without those that another member of the team has run. */
export function programsOf(messages: readonly Message[], hearing: Hearing): HeardPrograms {
  const heard = messages.map((message) => shared(message, hearing))
  const skipped = heard.flatMap((one) => one.skipped)
  const all = programsAmong(messages.flatMap(blocksOf), hearing)
  return {
    ...{ ...all, skipped },
    blocks: heard.flatMap(({ left }) => programsAmong(left, hearing).blocks),
    withheld: `${skippedText(skipped)}${all.withheld}`,
    claim: () => {
      for (const { claim } of heard) claim()
    },
  }
}

function shared(message: Message, { executor, supportedLanguages, programs, sources }: Hearing) {
  const runs = supportedLanguages ?? executor.capabilities.languages
  const isAddressed = sources?.includes(message.source) === true
  const all = blocksOf(message).map((block, index) => {
    const isProgram = isRun(block, runs)
    const ranBy = isProgram && !isAddressed ? programs?.ranBy(message.id, index) : undefined
    return { block, index, isProgram, ranBy }
  })
  const left = all.filter(({ ranBy }) => ranBy === undefined)
  const owners = new Set(all.flatMap(({ ranBy }) => ranBy ?? []))
  const skipped = [...owners].map((owner) => ({
    messageId: message.id,
    ranBy: owner,
    blocks: all.filter(({ ranBy }) => ranBy === owner).map(({ block }) => block),
  }))
  const isAnyLeft = skipped.length === 0 || left.some(({ isProgram }) => isProgram)
  return {
    left: isAnyLeft ? left.map(({ block }) => block) : [],
    skipped,
    claim: () => {
      for (const { index, isProgram } of left) if (isProgram) programs?.claim(message.id, index)
    },
  }
}

function isRun(block: CodeBlock, runs: readonly string[]): boolean {
  return decideBlock(block, { runs }).action === 'run'
}

/** Whether an executor has something to do with a block, or its writer expects it to. */
function isCode(block: CodeBlock, runs: readonly string[]): boolean {
  const decision = decideBlock(block, { runs })
  return decision.action === 'skip' ? isWrongLanguage(decision.notice) : decision.action !== 'data'
}

/** The reasons, each once. */
function whyNotRun(blocks: readonly CodeBlock[], runs: readonly string[]): string[] {
  const reasons = blocks.map((block) => {
    const decision = decideBlock(block, { runs })
    if ('notice' in decision) return decision.notice.message
    const name = block.line === undefined ? 'The block' : `The block in line ${block.line}`
    return `${name} is ${decision.language.id}, and was not saved without a program.`
  })
  return [...new Set(reasons)]
}

const builtIn = createLanguageTable()
  .rows.filter(({ kind }) => kind === 'run')
  .map(({ id }) => id)

/** An executor that runs all built-in languages. */
export const anyExecutor: Hearing['executor'] = { capabilities: { languages: builtIn } }

/** Whether one of the blocks is a program in a built-in language. */
export function holdPrograms(blocks: readonly CodeBlock[]): boolean {
  return blocks.some((block) => isRun(block, builtIn))
}

/** Whether there are blocks, and all of them are data. */
export function areOnlyData(blocks: readonly CodeBlock[]): boolean {
  return blocks.length > 0 && blocks.every(isData)
}

function isData(block: CodeBlock): boolean {
  if (block.language !== '') return decideBlock(block, { runs: [] }).action === 'data'
  try {
    return typeof JSON.parse(block.code) === 'object'
  } catch {
    return false
  }
}

/** Programs of one message that another member of the team has run. */
interface SkippedPrograms {
  readonly messageId: string
  readonly ranBy: string
  readonly blocks: readonly CodeBlock[]
}

export async function emitSkipped(
  agent: string,
  skipped: readonly SkippedPrograms[],
  { emit }: Pick<RunContext, 'emit'>,
): Promise<void> {
  for (const { messageId, ranBy, blocks } of skipped)
    await emit({ type: 'code-skipped', agent, messageId, ranBy, blocks })
}

/** Text for the model about skipped programs; empty without programs. */
export function skippedText(skipped: readonly SkippedPrograms[]): string {
  const lines = skipped.flatMap(({ ranBy, blocks }) =>
    blocks.map(({ line }) => {
      const name = line === undefined ? 'The program' : `The program in line ${line}`
      return `${name} was not run again: ${ranBy} ran it.\n`
    }),
  )
  return lines.join('')
}
