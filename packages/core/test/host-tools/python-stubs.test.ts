// @module-tag all

import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { requirement } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pythonFunctions, pythonStubs } from '../../src/host-tools/python-stubs.ts'
import { ToolSet } from '../../src/host-tools/tool-set.ts'
import { hostToolsText } from '../../src/host-tools/tools-text.ts'
import type { HostTools } from '../../src/vocabulary/host-tool.ts'
import { realTools } from './real-tools.fixture.ts'

const { error } = spawnSync('python3', ['--version'])
const python = requirement('python', error && `python3 cannot be started (${error.message})`)

const { tools } = ToolSet.of(realTools)

describe('stubs of forty real tools', () => {
  it('pass a strict type check, with programs that call them', async () => {
    const problems = await problemsOf(
      pythonStubs(tools),
      `import tools
tools.read_file("a", head=3).upper()
tools.edit_file("a", [{"oldText": "x", "newText": "y"}])
for entry in tools.directory_tree("."):
    for child in entry.get("children", []):
        child["name"].upper()
tools.git_log("r", start_timestamp=None)[0]["hash"].upper()
tools.git_branch("r", "all")
tools.create_relations([{"from": "a", "to": "b", "relationType": "knows"}])
tools.find("c", {"$and": [{"field": "a", "equals": None}], "$or": []})
tools.create_event("t", {"date": "d"}, {"every": "week", "days": ["MO"]})
tools.send_email(["a@example.org"], "s", "b", from_="b@example.org")
tools.class_("os")
`,
    )
    expect(problems).toEqual([])
  })

  it('show what is wrong with a call', async () => {
    const wrong = [
      'tools.read_file()',
      'tools.read_file("a", lines=3)',
      'tools.edit_file("a", [{"oldText": "x"}])',
      'tools.git_branch("r", "mine")',
      'tools.git_log("r")[0]["title"]',
      'tools.find("c", {"$and": [{"field": 7}]})',
      'tools.create_event("t", {"date": "d"}, {"every": "year"})',
      'tools.create_payment({"value": 1, "currency": "GBP"})',
    ]
    const problems = await problemsOf(pythonStubs(tools), `import tools\n${wrong.join('\n')}\n`)
    expect(problems.map((problem) => Number(problem.split(':')[0]))).toEqual(
      expect.arrayContaining(wrong.map((_, index) => index + 2)),
    )
  })

  it.skipIf(python.missing)('are functions that Python takes, and that pass on what they were given', () => {
    const program = `${pythonPrefix}${pythonFunctions(tools)}
read_file("a", tail=2)
git_log("r")
send_email(["a"], "s", "b", from_="me")
create_relations([{"from": "a", "to": "b", "relationType": "c"}])
anything(a=1)
t2fa(content_type="a", X_y="b")
t__(t_="c")
`
    const { stdout, stderr } = spawnSync('python3', ['-'], { input: program, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      ['read_file', { path: 'a', tail: 2 }],
      ['git_log', { repo_path: 'r', max_count: 10, start_timestamp: null }],
      ['send_email', { to: ['a'], subject: 's', body: 'b', from: 'me', attachments: [] }],
      ['create_relations', { relations: [{ from: 'a', to: 'b', relationType: 'c' }] }],
      ['anything', { a: 1 }],
      ['2fa', { 'content-type': 'a', X_y: 'b' }],
      ['名前', { 値: 'c' }],
    ])
  })
})

describe('what a model reads of tools', () => {
  it('is their stubs for a few, and a line for each of many', () => {
    const few = hostToolsText({ fetch: some('fetch'), query: some('query') })
    expect(few).toContain('def fetch(url: str, max_length: int = 5000')
    const many = hostToolsText(realTools)
    expect(many).toContain('- write_file: Writes a file.\n')
    expect(many).toContain('tools.search')
    expect(many).not.toContain('def ')
    expect(hostToolsText({})).toBe('')
    const javascript = hostToolsText({ 'read-it': some('fetch') }, ['javascript', 'typescript'])
    expect(javascript).toContain('readIt(input: { url: string; max_length?: number;')
    expect(hostToolsText({ 'read-it': some('fetch') }, ['python', 'javascript'])).toContain(
      'await tools.readIt({ ... })',
    )
  })

  it('names a type once, also where two tools would give theirs one name', () => {
    const item = { type: 'object', properties: { x: { type: 'string' } } }
    const properties = (name: string) => ({ type: 'object', properties: { [name]: item } })
    const set = ToolSet.of({
      a_b: { inputSchema: properties('c'), execute: () => null },
      a: { inputSchema: properties('b_c'), execute: () => null },
    })
    expect(pythonStubs(set.tools).match(/class \w+/g)).toEqual(['class ABC', 'class ABC2'])
  })

  it('keeps the references of an input and of an output apart', () => {
    const schema = (type: string) => ({
      type: 'object',
      properties: { value: { $ref: '#/$defs/item' } },
      $defs: { item: { type: 'object', properties: { part: { type } } } },
    })
    const set = ToolSet.of({
      both: { inputSchema: schema('string'), outputSchema: schema('integer'), execute: () => null },
    })
    expect(pythonStubs(set.tools)).toContain('part: NotRequired[str]')
    expect(pythonStubs(set.tools)).toContain('part: NotRequired[int]')
  })

  it('cannot leave its text, whatever a description says', () => {
    const description = '"""\nimport os\n\\"""\\'
    const set = ToolSet.of({ quoted: { description, execute: () => null } })
    expect(pythonStubs(set.tools)).toContain('\\"\\"\\"')
    expect(pythonFunctions(set.tools)).toContain(JSON.stringify(description))
  })
})

describe('names of tools', () => {
  it.each([
    [
      'two have one name in Python',
      { 'a-b': some('fetch'), a_b: some('fetch') },
      { tool: 'a_b', other: 'a-b', pythonName: 'a_b' },
    ],
    ['it cannot be run here', { a: { description: 'x' } }, { tool: 'a' }],
    [
      'its schema is none',
      { a: { inputSchema: 7, execute: () => null } },
      { tool: 'a', reason: 'it is no schema' },
    ],
  ])('are refused where %s', (_, given, data) => {
    expect(() => ToolSet.of(given as HostTools)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data }),
    )
  })
})

function some(name: string) {
  return realTools[name] as HostTools[string]
}

const pythonPrefix = `from __future__ import annotations
import json
_unset = object()
_tool = lambda function: function
def _call(tool, arguments):
    print(json.dumps([tool, {name: value for name, value in arguments.items() if value is not _unset}]))
`

/** What pyright says of a program and the stubs that it imports, each with its line before it. */
async function problemsOf(stubs: string, program: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-stubs-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const imports = 'from typing import Any, Literal, NotRequired, TypedDict\n\n'
  await writeFile(join(directory, 'tools.pyi'), `${imports}${stubs}\n`)
  await writeFile(join(directory, 'program.py'), program)
  const settings = { typeCheckingMode: 'strict', reportMissingModuleSource: false }
  await writeFile(join(directory, 'pyrightconfig.json'), JSON.stringify(settings))
  const command = join(dirname(createRequire(import.meta.url).resolve('pyright/package.json')), 'index.js')
  const args = [command, '--outputjson', '--pythonversion', '3.13', '--project', directory]
  const run = promisify(execFile)(process.execPath, args).catch((failure: { stdout: string }) => failure)
  const { generalDiagnostics } = JSON.parse((await run).stdout)
  return generalDiagnostics.map(
    ({ file, message, range }: { file: string; message: string; range: { start: { line: number } } }) =>
      `${range.start.line + 1}: ${file.endsWith('program.py') ? '' : `${file}: `}${message}`,
  )
}
