// @module-tag all

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { saidIn } from '../../src/team/test-agent.fixture.ts'
import { teamOf } from './team-of.fixture.ts'

const program = fileURLToPath(new URL('programs/go-on.ts', import.meta.url))

it('a team that was saved after any turn goes on in a new process as it would have gone on here', async () => {
  const { team, model } = teamOf()
  await team.run({ task: 'Count.' })
  for (let turn = 1; turn < 5; turn++) {
    const there = goOn(await team.saveState(), model.prompts.length)
    const { messages } = await team.run()
    const { messages: said, state } = await there
    expect(saidIn(said)).toEqual(saidIn(messages))
    expect(withoutIds(state)).toEqual(withoutIds(await team.saveState()))
  }
})

function goOn(state: object, firstAnswer: number): Promise<{ messages: []; state: object }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ messages: []; state: object }>()
  const { stdin } = execFile(
    process.execPath,
    ['--conditions=@fenced/source', program, String(firstAnswer)],
    (error, stdout) => (error === null ? resolve(JSON.parse(stdout)) : reject(error)),
  )
  stdin?.end(JSON.stringify(state))
  return promise
}

/** Every message has an id and a time of its own, wherever it was made. */
function withoutIds(state: object): unknown {
  return JSON.parse(JSON.stringify(state, (key, value) => (['id', 'createdAt'].includes(key) ? '' : value)))
}
