import { describe, expect, test } from 'vitest'
import { createLanguageTable, languageId } from './language-table.ts'
import type { Language } from './languages.ts'
import { languages } from './languages.ts'

const language = (changes: Partial<Language>): Language => ({
  id: 'new',
  aliases: [],
  extension: 'new',
  comments: [],
  kind: 'run',
  ...changes,
})

describe('the built-in rows', () => {
  const names = languages.flatMap(({ id, aliases }) => [id, ...aliases])

  test('share no name', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('are found by each of their names, whatever the case', () => {
    const table = createLanguageTable()
    for (const row of languages) {
      for (const name of [row.id, ...row.aliases])
        expect([name, table.find(name.toUpperCase())?.id]).toEqual([name, row.id])
    }
  })

  test('have a command exactly when they are run', () => {
    for (const { id, kind, commands } of languages)
      expect([id, commands !== undefined]).toEqual([id, kind === 'run'])
  })

  test('are plain data', () => {
    expect(JSON.parse(JSON.stringify(languages))).toEqual(languages)
  })
})

test('a language is found by its ids, aliases, extensions and versions, in any case', ({ everyRow }) =>
  everyRow<[name: string, id: string | undefined]>(
    [
      ['python', 'python'],
      ['Python', 'python'],
      ['PY', 'python'],
      ['python3', 'python'],
      ['python2', 'python'],
      ['python3.12', 'python'],
      ['python3.12.1', 'python'],
      ['python3x', undefined],
      ['tool_code', 'python'],
      ['zsh', 'bash'],
      ['Node.js', 'javascript'],
      ['app.py', 'python'],
      ['src/lib/App.MJS', 'javascript'],
      ['run.sh', 'sh'],
      ['package.json', 'json'],
      ['README.md', 'markdown'],
      ['notes', undefined],
      ['app.', undefined],
      ['a.b/c', undefined],
      ['jsx', undefined],
      ['{python}', 'python'],
      ['{.python}', 'python'],
      ['.python', 'python'],
      ['.py', 'python'],
      ['ipython', 'python'],
      ['shell', 'sh'],
      ['bash', 'bash'],
      ['pwsh', 'powershell'],
      ['js', 'javascript'],
      ['tsx', undefined],
      ['console', 'output'],
      ['tool_outputs', 'output'],
      ['pycon', 'output'],
      ['sql', 'sql'],
      ['R', 'r'],
      ['http', 'http'],
      ['python\u200B', 'python'],
      ['', undefined],
      ['klingon', undefined],
      ['constructor', undefined],
      ['__proto__', undefined],
    ],
    (name, id) => {
      expect(createLanguageTable().find(name)?.id).toBe(id)
    },
  ))

describe('an addition', () => {
  test('is found by id and alias beside the built-in ones', () => {
    const table = createLanguageTable({ languages: [language({ id: 'lua', aliases: ['luajit'] })] })
    expect([table.find('LUA')?.id, table.find('luajit')?.id, table.find('python')?.id]).toEqual([
      'lua',
      'lua',
      'python',
    ])
    expect(table.rows).toHaveLength(languages.length + 1)
  })

  test('replaces the built-in one of the same id, with its aliases', () => {
    const table = createLanguageTable({
      languages: [language({ id: 'python', aliases: ['py'], extension: 'pyx' })],
    })
    expect([table.find('py')?.extension, table.find('ipython')]).toEqual(['pyx', undefined])
    expect(table.rows.filter(({ id }) => id === 'python')).toHaveLength(1)
  })

  test('takes a name from a built-in one', () => {
    const table = createLanguageTable({ languages: [language({ id: 'zsh', aliases: ['shell', 'bash'] })] })
    expect([table.find('shell')?.id, table.find('bash')?.id, table.find('sh')?.id]).toEqual([
      'zsh',
      'zsh',
      'sh',
    ])
  })

  test('is found although its names are written in capitals', () => {
    const table = createLanguageTable({ languages: [language({ id: 'R', aliases: ['RScript'] })] })
    expect([table.find('r')?.id, table.find('rscript')?.id]).toEqual(['R', 'R'])
  })

  test('does not change the table of others', () => {
    createLanguageTable({ languages: [language({ id: 'python', extension: 'pyx' })] })
    expect(createLanguageTable().find('python')?.extension).toBe('py')
  })
})

describe('a policy', () => {
  test.each<[id: string, run: boolean, kind: string]>([
    ['javascript', false, 'save'],
    ['javascript', true, 'run'],
    ['html', false, 'save'],
    ['json', false, 'data'],
  ])('of %s: %s makes it %s', (id, run, kind) => {
    const table = createLanguageTable({ executionPolicies: { [id]: run } })
    expect(table.find(id)?.kind).toBe(kind)
  })

  test('that runs a language names it, so it is run on every system', () => {
    const systemsWith = (executionPolicies: Record<string, boolean>) =>
      createLanguageTable({ executionPolicies }).find('pwsh')?.systems
    expect([systemsWith({}), systemsWith({ powershell: true })]).toEqual([['win32'], undefined])
  })

  test('holds for every name of a language, and for one that was added', () => {
    const table = createLanguageTable({
      languages: [language({ id: 'r' })],
      executionPolicies: { r: false, python: false },
    })
    expect([table.find('r')?.kind, table.find('py')?.kind, table.find('bash')?.kind]).toEqual([
      'save',
      'save',
      'run',
    ])
  })

  test.each<[what: string, executionPolicies: Record<string, boolean>, language: string]>([
    ['for no language', { klingon: true }, 'klingon'],
    ['for an alias', { py: true }, 'py'],
    ['that wants a document run', { html: true }, 'html'],
  ])('%s is refused', (_, executionPolicies, language) => {
    expect(() => createLanguageTable({ executionPolicies })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'executionPolicies', language } }),
    )
  })
})

test.each<[name: string, id: string]>([
  ['py', 'python'],
  ['{.python}', 'python'],
  ['C++', 'c++'],
  ['Objective-C', 'objective-c'],
  ['', ''],
])('languageId(%j) is %j', (name, id) => {
  expect(languageId(name)).toBe(id)
})
