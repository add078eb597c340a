// @module-tag all

import { expect, test } from 'vitest'
import { CodeBlockScanner } from '../src/extraction/code-block-scanner.ts'
import { worstInputs } from './worst-inputs.fixture.ts'

/** What takes more than linear time takes hours for either. */
const length = 1_000_000

// A hang, not a speed, because machines are busy: each takes a fraction of a second.
test(
  'a long answer is read in linear time, whatever is in it',
  ({ everyRow }) =>
    everyRow(worstInputs, ({ build, chunk }) => {
      const text = build(length)
      const size = chunk ?? text.length
      const started = performance.now()
      const scanner = new CodeBlockScanner()
      for (let start = 0; start < text.length; start += size) scanner.push(text.slice(start, start + size))
      scanner.end()
      expect(performance.now() - started).toBeLessThan(30_000)
    }),
  240_000,
)
