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
