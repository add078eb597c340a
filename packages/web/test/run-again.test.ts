import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DecisionLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { WebExecutor } from '../src/index.ts'
import { Client, isQuestion, isTurnEnd } from './client.ts'
import { python } from './requirements.ts'
import { local, program, serveTest, type TestServer } from './served.ts'

const allow = { decision: 'allow' }
const deny = { decision: 'deny', reason: 'No.' }
const edit = { decision: 'edit', blocks: [{ language: 'python', code: 'print(1)' }] }

describe.skipIf(python.missing)('a run that is repeated', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fenced-web-again-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
  })

  it('starts without a question where a person allowed its programs', async () => {
    await using server = await serve()
    const conversation = await Repeated.of(server)
    await conversation.answer(allow)
    expect(await conversation.repeat()).toBe('not asked')
    expect(await conversation.output()).toBe('42\n42\n')
  })

  it('starts without a question where a person edited its programs, and runs the edited ones', async () => {
    await using server = await serve()
    const conversation = await Repeated.of(server)
    await conversation.answer(edit)
    expect(await conversation.repeat()).toBe('not asked')
    expect(await conversation.output()).toBe('1\n1\n')
  })

  it('is asked about where nobody has decided, other programs were allowed, or these were denied', async () => {
    await using server = await serve()
    const conversation = await Repeated.of(server)
    await conversation.stop()
    expect(await conversation.repeat()).toBe('asked')
    await conversation.answer(edit)
    expect(await conversation.repeat()).toBe('asked')
    await conversation.answer(allow)
    expect(await conversation.repeat()).toBe('not asked')
    await conversation.restart(async () => {
      await server.close()
      return serve(40_000)
    })
    // Another time limit is another target.
    expect(await conversation.repeat()).toBe('asked')
    await conversation.answer(deny)
    expect(await conversation.repeat()).toBe('asked')
  })

  it('is in the ledger as a decision of a person, as the first run is', async () => {
    const ledger = new DecisionLedger()
    await using server = await serve(50_000, ledger)
    const conversation = await Repeated.of(server)
    await conversation.answer(allow)
    expect(await conversation.repeat()).toBe('not asked')
    const decided = { kind: 'code', state: 'finished', decidedBy: 'person' }
    expect(await ledger.list()).toMatchObject([decided, decided])
  })

  function serve(timeoutMs = 50_000, ledger?: DecisionLedger): Promise<TestServer> {
    const executor: WebExecutor = {
      ...local,
      createExecutor: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir, timeoutMs }),
    }
    return serveTest({
      directory,
      executors: [executor],
      ...(ledger === undefined ? {} : { ledger }),
      script: [program('print(6 * 7)'), 'End.'],
    })
  }
})

/** A conversation with one answer, whose program is asked about. */
class Repeated {
  #client: Client
  readonly #path: string
  #seq = 0
  #run = ''

  private constructor(client: Client, path: string) {
    this.#client = client
    this.#path = path
  }

  static async of(server: TestServer): Promise<Repeated> {
    const client = await Client.of(server)
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Go.' })
    const repeated = new Repeated(client, path)
    const started = await client.until(path, ({ type }) => type === 'code-start')
    const event = started.at(-1)?.event
    repeated.#run = event?.type === 'code-start' ? event.runId : ''
    return repeated
  }

  async answer(answer: unknown): Promise<void> {
    const events = await this.#client.until(this.#path, isQuestion, this.#seq)
    expect((await this.#client.answer(this.#path, events, answer)).status).toBe(204)
    await this.#untilTurnEnd()
  }

  async stop(): Promise<void> {
    await this.#client.until(this.#path, isQuestion)
    await this.#client.post(`${this.#path}/stop`, {})
    await this.#untilTurnEnd()
  }

  /** Repeats the first run, and says whether the person is asked. */
  async repeat(): Promise<'asked' | 'not asked'> {
    const answer = await this.#client.post(`${this.#path}/repeat`, { run: this.#run })
    expect(answer.status).toBe(202)
    const events = await this.#client.until(
      this.#path,
      (event) => isQuestion(event) || isTurnEnd(event),
      this.#seq,
    )
    const last = events.at(-1)
    if (last !== undefined && isQuestion(last.event)) return 'asked'
    this.#seq = last?.seq ?? 0
    return 'not asked'
  }

  async restart(serve: () => Promise<TestServer>): Promise<void> {
    const server = await serve()
    onTestFinished(() => server.close())
    this.#client = await Client.of(server)
  }

  /** All that was printed. */
  async output(): Promise<string> {
    const isLast = ({ seq }: { readonly seq: number }) => seq === this.#seq
    let text = ''
    for await (const logged of this.#client.events(this.#path)) {
      const { event } = logged
      if (event.type === 'code' && event.event.type === 'stdout') text += event.event.text
      if (isLast(logged)) break
    }
    return text
  }

  async #untilTurnEnd(): Promise<void> {
    const events = await this.#client.until(this.#path, isTurnEnd, this.#seq)
    this.#seq = events.at(-1)?.seq ?? 0
  }
}
