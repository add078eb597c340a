import { formatUsage } from '@fenced/errors/text'
import { answerParts } from './answer-parts.ts'
import { stateOf } from './block-state.ts'
import type { Item } from './item.ts'
import { piecesOf } from './reasoning.ts'
import { Redaction } from './redaction.ts'
import type { BlockView, RunView } from './run-view.ts'
import type { ConversationView } from './view.ts'

/** What a person chooses to share. */
export interface ShareChoices {
  readonly output: boolean
  readonly pictures: boolean
  readonly reasoning: boolean
  /** Texts to replace, besides credentials of known forms and the path of the working directory. */
  readonly redacted: readonly string[]
}

/** A program as it is shared. */
export interface SharedProgram {
  readonly type: 'program'
  readonly language: string
  readonly code: string
  readonly state: ReturnType<typeof stateOf>
  readonly errorLine: number | undefined
  readonly output: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
  /** Names of the files that it left. */
  readonly files: readonly string[]
  readonly notes: readonly string[]
}

export type SharedItem =
  | { readonly type: 'person' | 'answer' | 'note'; readonly text: string }
  | SharedProgram

/** A conversation to share, and what it contains. */
export interface SharedConversation {
  readonly title: string
  readonly items: readonly SharedItem[]
  readonly counts: {
    readonly messages: number
    readonly answers: number
    readonly programs: number
    readonly outputs: number
    readonly pictures: number
    readonly redactions: number
  }
}

/** How much output of a program is shared, in characters. */
const maxOutput = 100_000

/** What is shared of a conversation. Every text is redacted. */
export function sharedConversation(
  { title, view }: { readonly title: string; readonly view: ConversationView },
  choices: ShareChoices,
): SharedConversation {
  const redaction = new Redaction(choices.redacted, directoriesOf(view.items))
  const items = view.items
    .flatMap((item) => sharedItems(item, choices))
    .map((item) => redactedItem(item, redaction))
  const programs = items.filter((item) => item.type === 'program')
  const count = (type: SharedItem['type']) => items.filter((item) => item.type === type).length
  return {
    title: redaction.apply(title),
    items,
    counts: {
      messages: count('person'),
      answers: count('answer'),
      programs: programs.length,
      outputs: programs.filter(({ output }) => output !== '').length,
      pictures: programs.flatMap(picturesOf).length,
      redactions: redaction.count,
    },
  }
}

/** The pictures of a program: results, and names of files. */
function picturesOf({ results, files }: SharedProgram): readonly unknown[] {
  return [
    ...results.filter((result) => Object.keys(result).some((type) => type.startsWith('image/'))),
    ...files.filter((name) => /\.(?:png|jpe?g|gif|webp)$/i.test(name)),
  ]
}

function sharedItems(item: Item, choices: ShareChoices): SharedItem[] {
  switch (item.type) {
    case 'person':
      return [{ type: 'person', text: item.text }]
    case 'upload':
      return [{ type: 'note', text: `${item.path} was put into the working directory.` }]
    case 'end':
      return [{ type: 'note', text: item.message ?? `The work ended: ${item.status}.` }]
    case 'undo':
      return [{ type: 'note', text: item.text }]
    case 'tool':
      return [{ type: 'note', text: `${item.agent} called ${item.tool}.` }]
    case 'repeat':
      return item.run.blocks.map((block) => sharedProgram(block, item.run, choices))
    case 'answer':
      return [
        ...(item.document === undefined
          ? []
          : [{ type: 'note' as const, text: `Document ${item.document}` }]),
        ...answerParts(item).map((part) =>
          typeof part === 'string'
            ? { type: 'answer' as const, text: choices.reasoning ? part : withoutReasoning(part) }
            : sharedProgram(part, item.run, choices),
        ),
      ].filter((part) => part.type === 'program' || part.text.trim() !== '')
  }
}

function withoutReasoning(text: string): string {
  return piecesOf(text)
    .filter(({ isReasoning }) => !isReasoning)
    .map(({ prose }) => prose)
    .join('\n')
}

function sharedProgram(block: BlockView, run: RunView | undefined, choices: ShareChoices): SharedProgram {
  const { language, code } = block.block
  const { lines } = block.output
  const given = run?.answer?.given
  const denied = given?.decision === 'deny' ? [`Denied: ${given.reason || 'without a reason'}`] : []
  const usage = block.end?.usage
  return {
    type: 'program',
    language,
    code,
    state: stateOf(block, run),
    errorLine: block.end?.error?.traceback.findLast(({ blockIndex }) => blockIndex !== undefined)?.line,
    output: choices.output ? shortenedOutput(lines.map(({ text }) => text).join('\n')) : '',
    results: choices.output
      ? block.results.map(({ result }) => result).filter((result) => choices.pictures || !isPicture(result))
      : [],
    files: choices.pictures ? block.files.map(({ path }) => path) : [],
    notes: [
      ...denied,
      ...block.notices.map(({ message }) => message),
      ...(usage === undefined ? [] : [formatUsage(usage)]),
    ],
  }
}

function isPicture(result: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(result).some((type) => type.startsWith('image/'))
}

function shortenedOutput(text: string): string {
  if (text.length <= maxOutput) return text
  return `${text.slice(0, maxOutput)}\n[${(text.length - maxOutput).toLocaleString('en')} more characters]`
}

function redactedItem(item: SharedItem, { apply }: Redaction): SharedItem {
  if (item.type !== 'program') return { ...item, text: apply(item.text) }
  return {
    ...item,
    code: apply(item.code),
    output: apply(item.output),
    results: item.results.map((result) =>
      Object.fromEntries(
        Object.entries(result).map(([type, value]) => [
          type,
          // Pictures are not text: a replacement would only damage them.
          typeof value === 'string' && (type.startsWith('text/') || type === 'image/svg+xml')
            ? apply(value)
            : value,
        ]),
      ),
    ),
    notes: item.notes.map(apply),
  }
}

/** Working directories on this machine, as the questions named them. */
function directoriesOf(items: readonly Item[]): string[] {
  const runs = items.flatMap((item) => ('run' in item && item.run !== undefined ? [item.run] : []))
  const paths = runs.flatMap(({ question }) => question?.target.workDir ?? [])
  return [...new Set(paths)]
}
