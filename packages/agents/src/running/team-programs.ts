import { z } from 'zod'
import { Repetitions } from './repetitions.ts'

const recordSchema = z.strictObject({ messageId: z.string(), index: z.int().min(0), member: z.string() })

/** As a team saves them. */
export const teamProgramsSchema = z.array(recordSchema)

/** A program of a message, and the member of the team that has run it. */
export type RunProgram = z.output<typeof recordSchema>

/**
 * The programs of messages that members of a team have begun to run, as a team passes them to one of its members. An agent of yours
 * that runs code asks `ranBy` first, skips programs that another member has, and claims those that it runs.
 */
export interface TeamPrograms {
  /**
   * The other member that has a program; `undefined` where none has it.
   *
   * @param index - position among the blocks of the message, from 0.
   */
  ranBy(messageId: string, index: number): string | undefined
  /** Keeps the other members from running a program, unless one of them has it. */
  claim(messageId: string, index: number): void
  /** The same programs for a member of a team that is itself a member. */
  of(member: string): TeamPrograms
}

/** The programs with which a member has succeeded in this run; `undefined` outside of teams. */
export function repetitionsIn(programs: TeamPrograms | undefined): Repetitions | undefined {
  return programs instanceof TeamProgramList ? programs.repetitions : undefined
}

/** The programs of a team, by their messages and their positions there. */
export class TeamProgramList implements TeamPrograms {
  readonly #member: string
  readonly #programs: Map<string, RunProgram>
  /** By member. */
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

  /** The programs with which the member has succeeded in this run. */
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
