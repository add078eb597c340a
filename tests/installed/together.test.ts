// @module-tag nightly

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { everyOption } from '../options/every-option.ts'
import { packages } from './packages.ts'
import { Project } from './project.ts'
import { doorsOf, firstExample } from './readme.ts'
import { bun, deno } from './runtimes.ts'
import { type Resolution, settings, typesPackages } from './settings.ts'
import { compilers, nodes, olderNode } from './tools.ts'

const audit = requirement('npm-audit', inject('auditProblem') || undefined)
const registry = requirement('registry', inject('registryProblem') || undefined)

describe.skipIf(registry.missing)('all packages, installed together', () => {
  const files = [...packages.map((name) => `${name}.ts`), 'packages.ts']
  let project: Project

  beforeAll(async () => {
    const examples = await Promise.all(packages.map(firstExample))
    project = await Project.create()
    await project.install([...new Set(examples.flatMap((example) => example.packages)), ...typesPackages])
    for (const [index, { program }] of examples.entries())
      await project.write(`${packages[index]}.ts`, program)
    const everyDoor = join(import.meta.dirname, '../options/packages.ts')
    await project.write('packages.ts', await readFile(everyDoor, 'utf8'))
    const doors = (await Promise.all(packages.map(doorsOf))).flat()
    await project.write(
      'doors.mjs',
      `const codes = {}
      for (const door of ${JSON.stringify(doors)})
        codes[door] = await import(door).then(() => 'loaded', ({ code, message }) => code ?? message)
      console.log(JSON.stringify(codes))
      process.exit()`,
    )
  })

  afterAll(() => project?.[Symbol.asyncDispose]())

  it.each(
    Object.entries(compilers).flatMap(([version, compiler]) =>
      (['nodenext', 'bundler'] as const satisfies Resolution[]).map((resolution) => ({
        version,
        resolution,
        compiler,
      })),
    ),
  )('compile with TypeScript $version and $resolution', async ({ resolution, compiler }) => {
    await project.write('tsconfig.json', settings(resolution, files))
    await project.run(process.execPath, [compiler, '--project', 'tsconfig.json'])
  })

  it.each(Object.entries(nodes))('can be required by a CommonJS program on Node %s', async (_, node) => {
    const requires = packages.map((name) => `typeof require('@fenced/${name}')`)
    await project.write('required.cjs', `console.log(${requires.join(', ')})\n`)
    const output = await project.run(node, ['required.cjs'])
    expect(output.trim().split(' ')).toEqual(packages.map(() => 'object'))
  })

  it.each([
    { runtime: 'Bun', command: bun },
    { runtime: 'Deno', command: [...deno, 'run', '--allow-all'] as const },
  ])('load at each entry point on $runtime', async ({ command: [program, ...args] }) => {
    const codes = JSON.parse(await project.run(program, [...args, 'doors.mjs']))
    expect(Object.entries(codes).filter(([, code]) => code !== 'loaded')).toEqual([])
  })

  it('throw NODE_TOO_OLD at each entry point, and in the command, on an older Node', async () => {
    const output = await project.run(olderNode, ['doors.mjs'])
    expect(Object.entries(JSON.parse(output)).filter(([, code]) => code !== 'NODE_TOO_OLD')).toEqual([])
    await expect(project.run(olderNode, ['node_modules/.bin/fenced', '--help'])).rejects.toThrow(
      /\nfenced: .* 22\.18 .*\n$/,
    )
  })

  it.skipIf(audit.missing)('have no known vulnerability that is high or critical', async () => {
    await project.run('npm', ['audit', '--omit=dev', '--audit-level=high'])
  })

  it('show in an editor what every option means', () => {
    const options = everyOption(join(project.path, 'tsconfig.json'), join(project.path, 'packages.ts'))
    expect(options.length).toBeGreaterThan(250)
    const silent = options.filter(({ documentation }) => documentation === '')
    expect(silent.map(({ of, name }) => `${of}.${name}`)).toEqual([])
  })
})
