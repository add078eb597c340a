import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import { StopMessageTermination } from '../termination/conditions.ts'
import { Termination, type TerminationCheck } from '../termination/termination.ts'
import { builtInComponents, loadComponent, registerComponent } from './load-component.ts'

const refused = (code: string, data: object) => expect.objectContaining({ code, data })

describe('loading a component', () => {
  it('refuses an unknown option of each component', ({ everyRow }) =>
    everyRow([...builtInComponents.keys()], (provider) => {
      const config = { name: 'n', [`unheard${1}`]: 1 }
      expect(() => loadComponent({ provider, version: 1, config })).toThrow(
        refused('INVALID_OPTIONS', { option: expect.stringMatching(/\bunheard1\b/) }),
      )
    }))

  it('refuses an unknown version of each component', ({ everyRow }) =>
    everyRow([...builtInComponents.keys()], (provider) => {
      expect(() => loadComponent({ provider, version: 2, config: {} })).toThrow(
        refused('CONFIG_VERSION', { provider, version: '2', supportedVersion: '1' }),
      )
    }))

  it('refuses what is not a config', ({ everyRow }) =>
    everyRow(
      [
        [undefined, ''],
        [null, ''],
        [[], ''],
        ['AssistantAgent', ''],
        [{ provider: 'AssistantAgent', config: {} }, 'version'],
        [{ provider: 'AssistantAgent', version: 1, config: {}, extra: 1 }, 'extra'],
        [{ provider: 'AssistantAgent', version: 1, config: { name: () => 'a' } }, 'config'],
        [
          JSON.parse(
            '{"provider":"AssistantAgent","version":1,"config":{"name":"a","__proto__":{"isAdmin":true}}}',
          ),
          'config',
        ],
        [
          JSON.parse(
            '{"provider":"AssistantAgent","version":1,"config":{"name":"a","modelOptions":{"__proto__":{}}}}',
          ),
          'config.modelOptions',
        ],
      ],
      (config, option) => {
        expect(() => loadComponent(config)).toThrow(refused('INVALID_CONFIG', { option }))
        expect({}).not.toHaveProperty('isAdmin')
      },
    ))

  it.each(['toString', '__proto__', 'constructor', 'Agent', 'autogen_agentchat.agents.CodeExecutorAgent'])(
    'refuses the unknown kind %s, and names those that there are',
    (provider) => {
      expect(() => loadComponent({ provider, version: 1, config: {} })).toThrow(
        refused('UNKNOWN_COMPONENT', { provider, known: expect.stringMatching(/\bAssistantAgent\b/) }),
      )
    },
  )

  it('refuses an unknown kind deep inside', () => {
    const inner = { provider: 'Unheard', version: 1, config: {} }
    const config = { conditions: [{ provider: 'StopMessageTermination', version: 1, config: {} }, inner] }
    expect(() => loadComponent({ provider: 'AndTerminationCondition', version: 1, config })).toThrow(
      refused('UNKNOWN_COMPONENT', { provider: 'Unheard', known: expect.any(String) }),
    )
  })

  it('says what to import for an executor that nobody has registered', () => {
    const executor = { provider: 'commandline-docker', version: 1, config: {} }
    const config = { name: 'a', executor }
    expect(() => loadComponent({ provider: 'CodeExecutorAgent', version: 1, config })).toThrow(
      refused('UNKNOWN_EXECUTOR', {
        executor: 'commandline-docker',
        known: expect.any(String),
      }),
    )
  })

  it('gives what is expected, or says that it is something else', () => {
    const config = new AssistantAgent({ name: 'a' }).toConfig()
    expect(loadComponent(config, { expect: ConversableAgent })).toBeInstanceOf(AssistantAgent)
    expect(() => loadComponent(config, { expect: StopMessageTermination })).toThrow(
      refused('WRONG_COMPONENT', { provider: 'AssistantAgent', expected: 'StopMessageTermination' }),
    )
  })

  it('makes components of yours', () => {
    class Chance extends Termination {
      static readonly provider = 'Chance'
      readonly options: { readonly percent: number }

      constructor(options: { readonly percent: number }) {
        super()
        this.options = options
      }

      begin(): TerminationCheck {
        return () => undefined
      }
    }
    registerComponent('Chance', { create: ({ percent }) => new Chance({ percent: Number(percent) }) })
    const both = new Chance({ percent: 5 }).or(new StopMessageTermination())
    expect((loadComponent(both.toConfig()) as Termination).toConfig()).toEqual(both.toConfig())
  })

  it('does not let anybody take the place of ours', () => {
    expect(() => registerComponent('AssistantAgent', { create: () => ({}) })).toThrow(
      refused('INVALID_OPTIONS', { provider: 'AssistantAgent' }),
    )
  })
})
