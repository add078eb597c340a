import { expect, it } from 'vitest'
import { codeHash, programsOf } from './code-hash.ts'

const block = (info?: string, language = 'python') => ({
  language,
  code: '1',
  ...(info === undefined ? {} : { info }),
})

it('the label of a known language is not the name of a file', () => {
  expect(programsOf([block('py'), block('python'), block()])).toEqual(
    Array(3).fill({ language: 'python', code: '1' }),
  )
  expect(codeHash([block('py')])).toBe(codeHash([block()]))
})

it('another label of an unknown language counts', () => {
  expect(codeHash([block('klingon', 'klingon')])).toBe(codeHash([block(undefined, 'klingon')]))
  expect(codeHash([block('main.klingon', 'klingon')])).not.toBe(codeHash([block(undefined, 'klingon')]))
})
