import type { CodeBlock } from '@fenced/core'
import type { Message } from '../message/message.ts'
import type { RunContext } from './run-with-events.ts'
import type { TeamPrograms } from './team-programs.ts'

/** Programs of one message that another member of the team has run. */
export interface SkippedPrograms {
  readonly messageId: string
  readonly ranBy: string
  readonly blocks: readonly CodeBlock[]
}

/** The blocks of a message as a member of a team treats them. */
export interface SharedBlocks {
  /** Programs that are not skipped; empty if all are skipped. */
  readonly blocks: readonly CodeBlock[]
  readonly skipped: readonly SkippedPrograms[]
  /** Keeps the other members from running these programs. Called before they run. */
  readonly claim: () => void
}

/** What the decision about the blocks of a message depends on. */
export interface Sharing {
  /** Absent outside of teams. */
  readonly programs: TeamPrograms | undefined
  /** Whether the member runs programs of this author also where another member has. @default false */
  readonly isAddressed?: boolean
  readonly isProgram: (block: CodeBlock) => boolean
}

/** Leaves out the programs of a message that another member of the team has run. */
export function sharedBlocks(
  message: Message,
  blocks: readonly CodeBlock[],
  { programs, isAddressed = false, isProgram }: Sharing,
): SharedBlocks {
  const all = blocks.map((block, index) => {
    const isRun = isProgram(block)
    return {
      block,
      index,
      isRun,
      ranBy: isRun && !isAddressed ? programs?.ranBy(message.id, index) : undefined,
    }
  })
  const left = all.filter(({ ranBy }) => ranBy === undefined)
  const owners = new Set(all.flatMap(({ ranBy }) => ranBy ?? []))
  const skipped = [...owners].map((owner) => ({
    messageId: message.id,
    ranBy: owner,
    blocks: all.filter(({ ranBy }) => ranBy === owner).map(({ block }) => block),
  }))
  const isAnyLeft = skipped.length === 0 || left.some(({ isRun }) => isRun)
  return {
    blocks: isAnyLeft ? left.map(({ block }) => block) : [],
    skipped,
    claim: () => {
      for (const { index, isRun } of left) if (isRun) programs?.claim(message.id, index)
    },
  }
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
  return skipped
    .flatMap(({ ranBy, blocks }) =>
      blocks.map(({ line }) => {
        const name = line === undefined ? 'The program' : `The program in line ${line}`
        return `${name} was not run again: ${ranBy} ran it.\n`
      }),
    )
    .join('')
}
