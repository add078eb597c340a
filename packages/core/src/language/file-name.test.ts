import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFileName } from './file-name.ts'

const workDir = '/home/me/dir'

test('a relative name is accepted in its normal form', ({ everyRow }) =>
  everyRow<[written: string, name: string]>(
    [
      ['a.py', 'a.py'],
      ['sub/dir/a.py', 'sub/dir/a.py'],
      ['./a.py', 'a.py'],
      ['a//b/./c.py', 'a/b/c.py'],
      ['my data (1).csv', 'my data (1).csv'],
      [`it's $HOME.txt`, `it's $HOME.txt`],
      ['-rf', '-rf'],
      ['.hidden', '.hidden'],
      ['...', '...'],
      ['..a/b..', '..a/b..'],
      ['данные/データ/é.py', 'данные/データ/é.py'],
      ['a~b', 'a~b'],
      ['console.py', 'console.py'],
      ['com10.txt', 'com10.txt'],
      [`${'é'.repeat(127)}x`, `${'é'.repeat(127)}x`],
      [`${workDir}/a.py`, 'a.py'],
      [`${workDir}/sub/a.py`, 'sub/a.py'],
    ],
    (written, name) => {
      expect(checkFileName(written, workDir)).toEqual({ name })
    },
  ))

test('a name that is not a file below the working directory is refused', ({ everyRow }) =>
  everyRow<[written: string, because: RegExp]>(
    [
      ['', /empty/],
      ['../evil.py', /"\.\."/],
      ['a/../../evil.py', /"\.\."/],
      ['a/..', /"\.\."/],
      ['..', /"\.\."/],
      ['.', /directory/],
      ['./', /directory/],
      ['sub/', /directory/],
      ['sub/.', /directory/],
      ['/etc/passwd', /absolute/],
      ['//etc/passwd', /absolute/],
      [`${workDir}`, /absolute|directory/],
      [`${workDir}/`, /directory|empty/],
      [`${workDir}/../evil.py`, /"\.\."/],
      [`${workDir}evil/a.py`, /absolute/],
      [`${workDir}//etc/passwd`, /absolute/],
      ['C:/evil.py', /absolute/],
      ['c:evil.py', /absolute/],
      ['..\\evil.py', /backslash/],
      ['sub\\a.py', /backslash/],
      ['v1:2.py', /Windows/],
      ['what?.py', /Windows/],
      ['a "b".py', /Windows/],
      ['~/x.py', /~/],
      ['~root/x.py', /~/],
      ['a\0.py', /control/],
      ['a\nb.py', /control/],
      ['a\x1B[2J.py', /control/],
      ['a\x7F.py', /control/],
      ['a\u0085b.py', /control/],
      ['a\u009B2J.py', /control/],
      ['a\uD800.py', /character/],
      ['./~/x.py', /~/],
      ['./C:/x.py', /absolute/],
      ['nul', /device/],
      ['sub/CON.txt', /device/],
      ['aux.py/a.py', /device/],
      ['COM1', /device/],
      ['a'.repeat(256), /255/],
      [`sub/${'é'.repeat(128)}`, /255/],
    ],
    (written, because) => {
      expect(checkFileName(written, workDir)).toEqual({ refused: expect.stringMatching(because) })
    },
  ))

describe('an accepted name', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      './',
      '/',
      '//',
      '\\',
      '~',
      'C:',
      'nul',
      ' ',
      '',
      workDir,
      '\0',
      '\n',
      '\u0085',
      'é',
      '\u202E',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  const written = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

  test('stays inside, is not empty, and has nothing in it that a terminal or a system takes for a command', () => {
    fc.assert(
      fc.property(written, fc.boolean(), (tail, absolute) => {
        const checked = checkFileName(absolute ? `${workDir}/${tail}` : tail, workDir)
        if ('refused' in checked) return
        const { name } = checked
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}\\]/u)
        const path = posix.join(workDir, name)
        expect(path).toBe(`${workDir}/${name}`)
        expect(posix.relative(workDir, path)).toBe(name)
        expect(name).not.toBe('')
        expect(Buffer.from(name).toString()).toBe(name)
      }),
      { numRuns: 5_000 },
    )
  })

  test('is accepted again as it is', () => {
    fc.assert(
      fc.property(written, (tail) => {
        const checked = checkFileName(tail, workDir)
        if ('name' in checked) expect(checkFileName(checked.name, workDir)).toEqual(checked)
      }),
      { numRuns: 5_000 },
    )
  })
})
