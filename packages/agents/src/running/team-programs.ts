import type { CodeBlock } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { Message } from '../message/message.ts'
import { Repetitions } from './repetitions.ts'
import type { RunContext } from './run-with-events.ts'

const recordSchema = z.strictObject({ messageId: z.string(), index: z.int().min(0), member: z.string() })

/** As a team saves them. */
export const teamProgramsSchema = z.array(recordSchema)

/** A program of a message, and the member of the team that has run it. */
export type RunProgram = z.output<typeof recordSchema>

/**
 * Records which programs in messages team members have started to run. A team passes it to its members. If your own agent runs
 * code, call `ranBy` first, skip the programs that another member has run, and claim those that your agent runs.
 */
export interface TeamPrograms {
  /**
   * Returns the name of the other member that has run a program, or `undefined` if no other member has.
   *
   * @param index - Position of the block in the message, from 0.
   */
  ranBy(messageId: string, index: number): string | undefined
  /** Prevents other members from running a program, unless one of them has already claimed it. */
  claim(messageId: string, index: number): void
  /** Returns the same record for a member of a nested team. */
  of(member: string): TeamPrograms
}

/** The programs with which a member has succeeded in this run; `undefined` outside of teams. */
export function repetitionsIn(programs: TeamPrograms | undefined): Repetitions | undefined {
  return programs instanceof TeamProgramList ? programs.repetitions : undefined
}

export class TeamProgramList implements TeamPrograms {
  readonly #member: string
  readonly #programs: Map<string, RunProgram>
  readonly #repetitions: Map<string, Repetitions>

  constructor(
    member = '',
    programs = new Map<string, RunProgram>(),
    repetitions = new Map<string, Repetitions>(),
  ) {
    this.#member = member
    this.#programs = programs
    this.#repetitions = repetitions
  }

  /** Counts repeated programs from the beginning. */
  beginRun(): void {
    this.#repetitions.clear()
  }

  get repetitions(): Repetitions {
    const known = this.#repetitions.get(this.#member) ?? new Repetitions()
    this.#repetitions.set(this.#member, known)
    return known
  }

  of(member: string): TeamProgramList {
    const path = this.#member === '' ? member : `${this.#member}/${member}`
    return new TeamProgramList(path, this.#programs, this.#repetitions)
  }

  ranBy(messageId: string, index: number): string | undefined {
    const member = this.#programs.get(keyOf(messageId, index))?.member
    return member === this.#member ? undefined : member
  }

  claim(messageId: string, index: number): void {
    const key = keyOf(messageId, index)
    if (!this.#programs.has(key)) this.#programs.set(key, { messageId, index, member: this.#member })
  }

  list(): RunProgram[] {
    return [...this.#programs.values()]
  }

  load(programs: readonly RunProgram[]): void {
    this.#programs.clear()
    for (const program of programs) this.#programs.set(keyOf(program.messageId, program.index), program)
  }
}

function keyOf(messageId: string, index: number): string {
  return `${index} ${messageId}`
}

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
