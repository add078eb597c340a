// @module-tag all

import { type ContractPrograms, describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { awkExecutor } from './awk-executor.ts'

const begin = (action: string) => `BEGIN { ${action} }`
const shell = (command: string) =>
  begin(`system("${command.replaceAll('"', '\\"')}")`)
const octal = (bytes: Uint8Array) =>
  [...bytes]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')

const programs: Partial<ContractPrograms> &
  Pick<ContractPrograms, 'print'> = {
  comment: (text) => `# ${text}`,
  // Some awks take no long text in a program.
  print: (text) =>
    begin(
      `print ${(text.match(/.{1,400}/g) ?? ['']).map((part) => `"${part}"`).join(' ')}`,
    ),
  exit: (code) => begin(`exit ${code}`),
  sleep: (seconds) => shell(`sleep ${seconds}`),
  flood: begin(
    'while (1) print "0123456789012345678901234567890123456789"',
  ),
  writeFile: (name, text) => begin(`printf "%s", "${text}" > "${name}"`),
  removeFile: (name) => shell(`rm '${name}'`),
  fail: (message) =>
    begin(
      `printf "${octal(Buffer.from(message))}" > "/dev/stderr"; exit 1`,
    ),
  killSelf: shell('kill -9 $PPID'),
  setVariable: (name) => begin(`${name} = 7`),
  printIsSet: (name) => begin(`print (${name} == 7 ? "yes" : "no")`),
  startChild: (seconds) => shell(`sleep ${seconds} &`),
  startDaemon: (seconds) => shell(`setsid sleep ${seconds} &`),
  printEnvironment: (name) =>
    begin(`print ("${name}" in ENVIRON ? ENVIRON["${name}"] : "unset")`),
  link: (target, name) => shell(`ln -s '${target}' '${name}'`),
  fork: (count, seconds) =>
    shell(
      `i=0; while [ $i -lt ${count} ]; do sleep ${seconds} & i=$((i + 1)); done; echo ended`,
    ),
  readLine: begin(
    'if ((getline line < "-") > 0) print line; else print "nothing"',
  ),
}

describe(
  'the contract',
  rowTags({ nightly: [{ except: [': results'] }] }),
  () => {
    describeExecutor(
      { describe: describe.concurrent, it },
      { name: 'awk', create: awkExecutor, programs: { awk: programs } },
    )
  },
)

describe('an option of its own', () => {
  it('reaches the driver, is checked, and is part of the config', async () => {
    await using executor = awkExecutor({ input: 'numbers.txt' })
    const { blocks } = await executor.execute([
      { language: 'sh', code: 'seq 1 100' },
      { language: 'gawk', code: '{ sum += $1 } END { print sum + 0 }' },
    ])
    expect(blocks[0]?.notices).toMatchObject([
      {
        code: 'unsupported-language',
        data: { language: 'sh', executor: 'awk', known: 'awk' },
      },
    ])
    expect(executor.toConfig()).toEqual({
      provider: 'awk',
      version: 1,
      config: { input: 'numbers.txt' },
    })
    expect(() => awkExecutor({ inputs: 'numbers.txt' } as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { option: 'inputs', suggestion: 'input' },
      }),
    )
  })
})
