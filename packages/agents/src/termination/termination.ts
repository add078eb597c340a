import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { type ClassWithOptions, configOfOptions } from '../component/to-config.ts'
import type { AgentEvent } from '../event.ts'
import type { Message } from '../message/message.ts'

/** A run that a termination condition watches. */
export interface WatchedRun {
  /** Messages of the task; empty if the run continues an earlier one. */
  readonly task: readonly Message[]
  /** Aborted when the run ends, so that timers can be released. */
  readonly signal: AbortSignal
  /** Ends the run immediately by cancelling the speaker. The messages and events so far are kept. */
  readonly stop: (reason: string) => void
}

/**
 * Called with the new events, in order: with an empty list when the run begins, and after each turn. Text deltas and program
 * output are left out. Returns the reason to end the run, as a sentence, or `undefined` to continue.
 */
export type TerminationCheck = (
  events: readonly AgentEvent[],
) => string | undefined | Promise<string | undefined>

/** Decides when a team is done. It keeps no state between runs, and can watch several at once. */
export interface TerminationCondition {
  /** Starts watching a run. */
  begin(run: WatchedRun): TerminationCheck
}

/** A termination condition that can be combined with others. */
export abstract class Termination implements TerminationCondition {
  abstract begin(run: WatchedRun): TerminationCheck

  /** Returns a condition that is met when both conditions have been met, at the same time or one after the other. */
  and(other: TerminationCondition): AndTerminationCondition {
    return new AndTerminationCondition({ conditions: [this, other] })
  }

  /** Returns a condition that is met when either condition is met. */
  or(other: TerminationCondition): OrTerminationCondition {
    return new OrTerminationCondition({ conditions: [this, other] })
  }

  /**
   * Returns the condition as data for `loadComponent`.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for a condition with a function.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return configOfOptions(this, options)
  }
}

type WithOptions<Options> = Termination & TerminationCondition & { readonly options: Options }

/** Base class of a condition with options, which the schema checks and completes. The class gives its `provider`. */
export function terminationWith<Options extends object = object>(
  schema: z.ZodType,
  begin: (options: Options, run: WatchedRun) => TerminationCheck = () => () => undefined,
): ClassWithOptions<Options, WithOptions<Options>> {
  class ConfiguredTermination extends Termination {
    readonly options: Options

    constructor(options: unknown = {}) {
      super()
      this.options = parseOptions(schema as z.ZodType<Options>, options, new.target.name)
    }

    begin(run: WatchedRun): TerminationCheck {
      return begin(this.options, run)
    }
  }
  return ConfiguredTermination as ClassWithOptions<Options, WithOptions<Options>>
}

const isCondition = (value: unknown) =>
  typeof value === 'object' && value !== null && 'begin' in value && typeof value.begin === 'function'

export const terminationConditionSchema = z.custom<TerminationCondition>(
  isCondition,
  'must be a termination condition',
)

/** Base class of a condition that combines others. */
abstract class CombinedTermination extends terminationWith<{
  /** Conditions to combine, at least one. */
  readonly conditions: readonly TerminationCondition[]
}>(z.strictObject({ conditions: z.array(terminationConditionSchema).min(1) })) {
  /** How many of the conditions must be met. */
  protected abstract readonly count: number

  begin(run: WatchedRun): TerminationCheck {
    const { conditions } = this.options
    const reasons = new Map<number, string>()
    // In the order of the conditions, whichever was met first.
    const reason = () =>
      reasons.size < this.count
        ? undefined
        : [...conditions.keys()].flatMap((index) => reasons.get(index) ?? []).join(', ')
    const checks = conditions.map((condition, index) => {
      const stop = (one: string) => {
        reasons.set(index, one)
        const all = reason()
        if (all !== undefined) run.stop(all)
      }
      return condition.begin({ ...run, stop })
    })
    return async (events) => {
      for (const [index, check] of checks.entries()) {
        const one = reasons.has(index) ? undefined : await check(events)
        if (one !== undefined) reasons.set(index, one)
      }
      return reason()
    }
  }
}

/**
 * Met when each of its conditions has been met at some point in the run. Its reason combines their reasons.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class AndTerminationCondition extends CombinedTermination {
  static readonly provider: string = 'AndTerminationCondition'
  protected readonly count = this.options.conditions.length
}

/** Met when one of its conditions is met. @throws FencedError `INVALID_OPTIONS`. */
export class OrTerminationCondition extends CombinedTermination {
  static readonly provider: string = 'OrTerminationCondition'
  protected readonly count = 1
}
