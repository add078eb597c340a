import { type ComponentConfig, omittedOptions } from '@fenced/core'
import { registerExecutor } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import fc from 'fast-check'
import { EchoExecutor } from '../reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

registerExecutor('echo', (options) => new EchoExecutor(options))

/** An arbitrary for every option: one that is added is missed by the compiler. */
export type EveryOption<Options> = { [Name in keyof Options]-?: fc.Arbitrary<Options[Name]> }

/** What must never be in a config. */
const secret = fc.stringMatching(/^secret[a-z0-9]{16}$/)
export const secretPattern = /secret[a-z0-9]{16}/
export const word = fc.stringMatching(/^[a-z]{1,8}$/)
export const words = fc.array(word, { maxLength: 3 })
export const count = fc.integer({ min: 1, max: 2 ** 31 - 1 })

const oneModel = fc.oneof(
  word,
  word.map((modelId) => new ScriptedModel([], { modelId })),
)

/** What all agents with a model have. */
export const everyModelOption = {
  model: fc.oneof(oneModel, fc.array(oneModel, { minLength: 1, maxLength: 3 })),
  tools: fc.constant({ add: { inputSchema: z.object({}), execute: () => 3 } }),
  // A kind that has no short form.
  ask: fc.constant({ network: () => 'deny' as const }),
  askTimeoutMs: count,
  maxToolIterations: count,
  maxInputTokens: count,
  sandbox: fc.constant({ run: async () => ({}) } as never),
  pictures: fc.oneof(
    fc.constant(true),
    fc.record({ maxCount: count, maxBytes: count }, { requiredKeys: [] }),
  ),
  modelOptions: fc.record(
    {
      temperature: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
      maxOutputTokens: count,
      headers: fc.dictionary(word, secret),
      providerOptions: fc.constant({ fenced: { effort: 'low' } }),
    },
    { requiredKeys: [] },
  ),
  prices: fc.dictionary(
    word,
    fc.record(
      { inputPerMillion: fc.nat(), outputPerMillion: fc.nat(), cacheReadPerMillion: fc.nat() },
      { requiredKeys: ['inputPerMillion', 'outputPerMillion'] },
    ),
  ),
}

/** Gives the model that an id means. */
export const models = (id: string) => new ScriptedModel([], { modelId: id.slice(id.indexOf('/') + 1) })

const executorOptions = fc.record(
  { timeoutMs: count, redact: fc.array(secret, { minLength: 1, maxLength: 2 }) },
  { requiredKeys: [] },
)

/** An executor, in each of the ways in which an agent takes one. */
export const executor = fc.oneof(
  fc.constant('echo'),
  executorOptions.map((options) => new EchoExecutor(options)),
  executorOptions.map((options) => ({ name: 'echo', options })),
)

/** What a config has left out, from the options that it was made of; new secrets in the place of nested ones. */
export function leftOutOf(given: object, config: ComponentConfig): Record<string, unknown> {
  return Object.fromEntries(
    omittedOptions(config).map((path) => [
      path,
      path.endsWith('.redact') ? ['another'] : fieldOf(given, path),
    ]),
  )
}

/** The options that were given and are missed in a config, or are other ones there. None, unless something is lost. */
export function lostIn(config: ComponentConfig, given: object): string[] {
  const omitted = config.omitted ?? []
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !omitted.includes(name))
    .filter(([name, value]) => {
      const kept = config.config[name]
      return kept === undefined || (typeof value !== 'object' && typeof kept !== 'object' && kept !== value)
    })
    .map(([name]) => name)
}

export const throughJson = (config: ComponentConfig): ComponentConfig => JSON.parse(JSON.stringify(config))

function fieldOf(given: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], given)
}
