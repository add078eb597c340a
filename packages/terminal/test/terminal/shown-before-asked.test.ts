// @module-tag all

import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { play, python } from './pseudo-terminal.ts'

const shownCode = 'echo "hid[U+202E]den"'

describe.skipIf(python.missing)(
  "a person who is asked with `humanInputMode: 'always'`",
  { concurrent: true },
  () => {
    it.each([
      { VIEW: 'none', WORDS: 'autogen', TEAM: '', asked: 'Replying as runner.' },
      { VIEW: 'none', WORDS: 'plain', TEAM: 'yes', asked: 'Enter runs it' },
      { VIEW: 'console', WORDS: 'autogen', TEAM: '', asked: 'Replying as runner.' },
      { VIEW: 'run', WORDS: 'plain', TEAM: 'yes', asked: 'Enter runs it' },
    ])('has seen the message and its code, once: %j', async ({ asked, ...env }) => {
      const { output, facts, problem } = await play({
        program: 'always.ts',
        env,
        steps: [{ expect: asked }, { type: '\r' }],
      })
      expect(problem).toBeNull()
      const before = stripVTControlCharacters(output.slice(0, output.indexOf(asked)))
      expect(before.split(shownCode)).toHaveLength(2)
      // Above its question nothing of a message begins a line as the question does.
      if (env.VIEW === 'none') expect(before).not.toMatch(/^Replying as nobody/m)
      expect(facts).toEqual([{ ran: ['echo "hid\u202Eden"'] }])
    })
  },
)
