// @module-tag nightly

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PythonCodeExecutionTool, type PythonToolInput, WorkingDirectory } from '@fenced/python-env'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { docker, TestImage } from './docker-support.ts'
import { collect } from './support.ts'

describe.skipIf(docker.missing)('the tool, with the Python of an image', () => {
  let image: TestImage
  beforeAll(async () => {
    image = await TestImage.make()
  })
  afterEach(async () => expect(await image.containers()).toEqual([]))
  afterAll(() => image?.remove())

  const last = async (tool: PythonCodeExecutionTool, input: PythonToolInput) =>
    (await collect(tool.execute(input))).at(-1)

  test('shares the working directory with its programs', async () => {
    await using environment = image.environment()
    await using workDir = WorkingDirectory.createTmp()
    await using tool = new PythonCodeExecutionTool({ pythonEnvironment: environment, workDir })
    const code = "open('a.txt', 'w').write('x')"
    expect(await last(tool, { code })).toMatchObject({ success: true, files: [{ path: 'a.txt' }] })
    expect(await readFile(join(workDir.path, 'a.txt'), 'utf8')).toBe('x')
  })

  test('gets the packages that a call asks for into a new container, after others have finished in the old one', async () => {
    await using environment = image.environment()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      installablePackages: ['tiny'],
    })
    const slow = last(tool, { code: 'import time; time.sleep(3); print("slow")' })
    const outputs = await Promise.all([
      last(tool, { code: 'import tiny; print(tiny.value)', packages: ['tiny'] }),
      slow,
    ])
    expect(outputs).toMatchObject([{ output: '42\n' }, { output: 'slow\n' }])
    expect(await last(tool, { code: 'import tiny; print(tiny.value)' })).toMatchObject({ output: '42\n' })
    expect(await image.containers()).toHaveLength(1)
  })

  test('installs what turns out to be missing', async () => {
    await using environment = image.environment()
    await using tool = new PythonCodeExecutionTool({
      pythonEnvironment: environment,
      missingPackages: 'install',
      installablePackages: ['tiny'],
    })
    expect(await last(tool, { code: 'import tiny; print(tiny.value)' })).toMatchObject({
      success: true,
      output: '42\n',
      notices: [{ code: 'package-installed' }, { code: 'container-replaced' }],
    })
  })
})
