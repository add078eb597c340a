import { AssistantAgent, UserProxyAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import { Client, isQuestion, isTurnEnd } from './client.ts'
import { python } from './requirements.ts'
import { local, program, serveTest } from './served.ts'

describe.skipIf(python.missing || process.platform !== 'linux')('a run that is undone on the page', () => {
  it('leaves variables and files as before it, and the model reads so', async () => {
    await using server = await serveTest({
      executors: [
        {
          ...local,
          createExecutor: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir, stateful: true }),
        },
      ],
      script: [program('x = 1'), 'One.', program('x = 2; open("two.txt", "w").close()'), 'Two.', 'Three.'],
    })
    const client = await Client.of(server)
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Go.' })
    let seq = 0
    /** Allows the program of a turn. Returns the id of its run. */
    const turn = async () => {
      const asked = await client.until(path, isQuestion, seq)
      await client.answer(path, asked, { decision: 'allow' })
      seq = (await client.until(path, isTurnEnd, asked.at(-1)?.seq)).at(-1)?.seq ?? 0
      const started = asked.map(({ event }) => event).findLast(({ type }) => type === 'code-start')
      return started?.type === 'code-start' ? started : undefined
    }
    const variables = async () => {
      const found = (await (await client.fetch(`${path}/variables`)).json()) as {
        name: string
        preview: string
      }[]
      return found.map(({ name, preview }) => [name, preview])
    }
    expect((await turn())?.canUndo).toBe(true)
    await client.post(`${path}/messages`, { text: 'Again.' })
    const second = await turn()
    expect(await variables()).toEqual([['x', '2']])
    expect((await client.post(`${path}/undo`, { run: second?.runId })).status).toBe(204)
    expect(await variables()).toEqual([['x', '1']])
    expect(await (await client.fetch(`${path}/files`)).json()).toEqual([])
    const [undone] = (await client.until(path, ({ type }) => type === 'undo', seq)).slice(-1)
    const content = 'Block 2 was undone. Variables and files are as after block 1.'
    expect(undone?.event).toEqual({ type: 'undo', runIds: [second?.runId], content })
    expect((await client.post(`${path}/undo`, { run: second?.runId })).status).toBe(404)
    await client.post(`${path}/messages`, { text: 'What is there?' })
    await client.until(path, isTurnEnd, undone?.seq)
    expect(JSON.stringify(server.model.prompts.at(-1))).toContain(content)
  })
})

it.skipIf(python.missing || process.platform !== 'linux')(
  'the model of a partner reads an undo with the next result',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const undone = 'Block 2 was undone. Variables and files are as after block 1.'
    const model = new ScriptedModel(async (call) => {
      // Another part of the program undoes it while the model writes.
      if (call === 2) await executor.session?.undo()
      return (
        [program('x = 1'), program('x = 2'), program('print(x)'), program('print(x)'), 'TERMINATE'][call] ??
        ''
      )
    })
    const user = new UserProxyAgent({
      name: 'user',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    const chat = user.initiateChat(new AssistantAgent({ name: 'writer', model }), { message: 'Go.' })
    const notices: string[] = []
    for await (const event of chat) if (event.type === 'notice') notices.push(event.notice.message)
    const read = (call: number) => JSON.stringify(model.prompts[call]?.at(-1))
    expect(read(3)).toContain(undone)
    expect(read(3)).toContain('1\\n')
    expect(read(4)).not.toContain(undone)
    expect(notices).toEqual([undone])
  },
)
