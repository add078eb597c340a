import { describe, expect, it } from 'vitest'
import { EarlierPrograms } from './earlier-programs.ts'

const nameError = (name: string) =>
  `Traceback (most recent call last):\n  File "a.py", line 1\nNameError: name '${name}' is not defined. Did you mean: 'd'?\n`

function noticeFor(name: string, earlier: string, languageId = 'python') {
  const programs = new EarlierPrograms()
  programs.add('python', earlier)
  return programs.undefinedNameNotice(languageId, nameError(name))
}

describe('a name that is not defined', () => {
  it.each([
    'df = 1',
    'if x:\n    df: int = 1',
    'df, rest = 1, 2',
    'rest, df = 1, 2',
    'import pandas as df',
    'import os, df',
    'from x import (df)',
    'def df(): pass',
    'class df: pass',
    'for df in x: pass',
    'with open("f") as df: pass',
  ])('is explained where an earlier block defines it: %j', (earlier) => {
    expect(noticeFor('df', earlier)).toMatchObject({ code: 'name-of-earlier-block', data: { name: 'df' } })
  })

  it.each(['print(df)', 'x.df = 1', 'dfs = 1', 'df == 1', 'a_df = 1', ''])(
    'is not where none does: %j',
    (earlier) => expect(noticeFor('df', earlier)).toBeUndefined(),
  )

  it('is not where the block is in another language, or failed otherwise', () => {
    expect(noticeFor('df', 'df = 1', 'javascript')).toBeUndefined()
    const programs = new EarlierPrograms()
    programs.add('python', 'df = 1')
    expect(programs.undefinedNameNotice('python', "KeyError: 'df'")).toBeUndefined()
  })

  it('of JavaScript is explained, too, with any name', () => {
    const programs = new EarlierPrograms()
    programs.add('javascript', 'const $größe = 1')
    const notice = programs.undefinedNameNotice(
      'javascript',
      'ReferenceError: $größe is not defined\n    at a.js:1',
    )
    expect(notice).toMatchObject({ data: { name: '$größe' } })
  })

  it('is of one of the newest programs', () => {
    const programs = new EarlierPrograms()
    programs.add('python', 'df = 1')
    programs.add('python', 'x'.repeat(200_000))
    expect(programs.undefinedNameNotice('python', nameError('df'))).toBeUndefined()
  })
})
