// @module-tag all

import { codeRequest } from '@fenced/core/internal'
import { visible } from '@fenced/errors/text'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { approveByPerson } from '../src/human-input/approve-by-person.ts'
import { createMessage } from '../src/message/message.ts'
import { endsWithTermination, withoutTermination } from '../src/message/written-text.ts'
import { withoutSecrets } from '../src/model/model-errors.ts'
import { findObject } from '../src/model/structured-output.ts'
import { repairJsonControlCharacters } from '../src/model/tool-calls.ts'
import { EchoExecutor } from '../src/reply/echo-executor.fixture.ts'
import { blocksIn, programsAmong } from '../src/running/code-blocks.ts'
import { failureOf } from '../src/running/repetitions.ts'
import { endsTeam } from '../src/team/reply-to-team.ts'

const size = 1024 * 1024
const executor = new EchoExecutor()
const said = (content: string) => createMessage({ role: 'assistant', source: 'a', origin: 'model', content })
const ofLength = (piece: string) => piece.repeat(Math.ceil(size / piece.length))

function requestOf(code: string) {
  const blocks = [{ language: 'python', code }]
  return codeRequest({ agent: 'coder', executor, blocks, context: code, retryAttempt: 0 })
}

/** Everything that reads what a model or a program has written. */
const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['the request for an approval', requestOf],
  [
    'the question for an approval',
    (text) =>
      approveByPerson({ ask: async () => 'y' })(requestOf(text), { signal: new AbortController().signal }),
  ],
  ['visible', visible],
  ['endsWithTermination', endsWithTermination],
  ['withoutTermination', (text) => withoutTermination(said(text))],
  ['endsTeam', (text) => endsTeam(said(text))],
  ['programsAmong', (text) => programsAmong(blocksIn(text), { executor, supportedLanguages: ['sh'] })],
  ['failureOf', (output) => failureOf([], { output, status: 'error' })],
  ['withoutSecrets', (text) => withoutSecrets(text)],
  ['escapeControlCharacters', repairJsonControlCharacters],
  ['findObject', (text) => findObject(text, z.object({ reason: z.string() }))],
]

/** Pieces that make an expression try again and again, alone and behind what it begins with. */
const inputs = [
  ...[
    'a',
    ' ',
    '\n',
    '\r',
    '`',
    '*',
    '/',
    '/a',
    '\\a',
    '{',
    '[',
    '"',
    '\\',
    '0x',
    '\u200B',
    '👩\u200D',
    'TERMINATE',
  ],
  ...[
    'uv ',
    'pip install ',
    'uv pip install -r ',
    '# filename: ',
    '.fenced-',
    'bearer ',
    'api key: ',
    '?key=',
    '{"a":',
  ],
].map(ofLength)
const starts = ['# filename: a', 'uv', 'pip install', 'bearer', 'api key:', 'TERMINATE', '/', '{"']
const allInputs = [
  ...inputs,
  ...starts.flatMap((start) => [' ', 'a'].map((piece) => `${start}${ofLength(piece)}!`)),
]

describe('what a model or a program writes', () => {
  it.each(readers)('is read in linear time by %s', async (_, read) => {
    for (const input of allInputs) await read(input)
    expect.assertions(0)
  })
})
