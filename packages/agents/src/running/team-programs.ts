import { z } from '@fenced/core/zod'
import { Repetitions } from './repetitions.ts'

const recordSchema = z.lazy(() =>
  z.strictObject({ messageId: z.string(), index: z.int().min(0), member: z.string() }),
)

/** As a team saves them. */
export const teamProgramsSchema = z.lazy(() => z.array(recordSchema))

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
