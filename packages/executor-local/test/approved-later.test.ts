import { type ApprovalTarget, askingExecutor, type CodeApprovalRequest, runApproved } from '@fenced/core'
import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

type Options = NonNullable<ConstructorParameters<typeof LocalCommandLineCodeExecutor>[0]>

const secret = { value: 'a-secret-value', hosts: ['api.example.com'] }
const network = { allowedHosts: ['api.example.com'], secrets: { TOKEN: secret } } as const
const given = {
  workDir: '.',
  isolation: 'bubblewrap',
  env: { PASSWORD: 'hunter2' },
  network,
} satisfies Options

/** The question of an executor with these options. Nothing is started for it. */
async function asked(options: Options): Promise<CodeApprovalRequest> {
  let request: CodeApprovalRequest | undefined
  const executor = askingExecutor(new LocalCommandLineCodeExecutor(options), {
    code: (question) => {
      request = question
      return { decision: 'deny', reason: 'Later.' }
    },
  })
  await executor.execute([{ language: 'sh', code: 'echo ran' }])
  return JSON.parse(JSON.stringify(request))
}

const changes = {
  'another time limit': { timeoutMs: 600_000 },
  'another output limit': { maxOutputBytes: 2 ** 30 },
  'another policy for output': { onOutputLimit: 'kill' },
  'another value of a variable': { env: { PASSWORD: 'hunter3' } },
  'another variable': { env: { ...given.env, LD_PRELOAD: '/evil.so' } },
  'another interpreter': { python: '/opt/other/python3' },
  'another language': {
    languages: [{ id: 'x', aliases: [], extension: 'x', comments: [], kind: 'run', commands: [['sh']] }],
  },
  'another policy for a language': { executionPolicies: { python: false } },
  'the variables of the host': { inheritEnv: true },
  'more bytes of the network': { network: { ...network, maxBytes: 2 ** 40 } },
  'more connections': { network: { ...network, maxConnections: 4_096 } },
  'another value of a secret': {
    network: { ...network, secrets: { TOKEN: { ...secret, value: 'another-value' } } },
  },
  'other headers of a secret': { network: { ...network, secrets: { TOKEN: { ...secret, headers: ['x'] } } } },
} satisfies Record<string, Options>

it('an approval does not hold for an executor with other limits, variables or secrets', async () => {
  const request = await asked(given)
  for (const [what, changed] of Object.entries(changes)) {
    const executor = new LocalCommandLineCodeExecutor({ ...given, ...changed })
    const run = runApproved(executor, { request, answer: { decision: 'allow' } })
    const outcome = await run.then(
      ({ status }) => status,
      (error) => error.code,
    )
    expect.soft(outcome, what).toBe('APPROVAL_ELSEWHERE')
  }
})

it('an approval holds for another executor with the same options, in whatever order its variables are', async () => {
  const target = async (env: Record<string, string>): Promise<ApprovalTarget> => {
    return (await asked({ ...given, timeoutMs: 5_000, env })).target
  }
  const [first, second] = [await target({ A: '1', B: '2' }), await target({ B: '2', A: '1' })]
  expect(second).toEqual(first)
  expect(first.particulars).toMatchObject({
    timeoutMs: 5_000,
    env: 'A, B',
    valuesHash: expect.stringMatching(/^[\da-f]{32}$/),
  })
})

it('a question has no value of a variable or of a secret', async () => {
  const text = JSON.stringify(await asked(given))
  expect(text).toContain('PASSWORD')
  expect(text).not.toContain(given.env.PASSWORD)
  expect(text).not.toContain(secret.value)
})
