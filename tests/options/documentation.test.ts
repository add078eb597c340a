import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type DocumentedOption, everyOption } from './every-option.ts'
import {
  dockerExecutorOptionsSchema,
  dockerJupyterServerOptionsSchema,
  dockerPythonEnvironmentOptionsSchema,
  jupyterExecutorOptionsSchema,
  kubernetesExecutorOptionsSchema,
  localExecutorOptionsSchema,
  localJupyterServerOptionsSchema,
  pythonCodeExecutionToolOptionsSchema,
  sandboxJupyterServerOptionsSchema,
  systemPythonEnvironmentOptionsSchema,
  venvPythonEnvironmentOptionsSchema,
} from './schemas.ts'

const options = everyOption(
  join(import.meta.dirname, '../tsconfig.json'),
  join(import.meta.dirname, 'packages.ts'),
)

const schemas: Readonly<Record<string, z.ZodObject>> = {
  DockerCommandLineCodeExecutor: dockerExecutorOptionsSchema,
  DockerJupyterServer: dockerJupyterServerOptionsSchema,
  DockerPythonEnvironment: dockerPythonEnvironmentOptionsSchema,
  JupyterCodeExecutor: jupyterExecutorOptionsSchema,
  KubernetesCommandLineCodeExecutor: kubernetesExecutorOptionsSchema,
  LocalCommandLineCodeExecutor: localExecutorOptionsSchema,
  LocalJupyterServer: localJupyterServerOptionsSchema,

  PythonCodeExecutionTool: pythonCodeExecutionToolOptionsSchema,
  SandboxJupyterServer: sandboxJupyterServerOptionsSchema,
  SystemPythonEnvironment: systemPythonEnvironmentOptionsSchema,
  VenvPythonEnvironment: venvPythonEnvironmentOptionsSchema,
}

it('an editor shows what an option means, for every option of every exported class and function', () => {
  expect(options.length).toBeGreaterThan(250)
  expect(options.filter(({ documentation }) => documentation === '').map(nameOf)).toEqual([])
})

describe.each(Object.entries(schemas))('the options of %s', (of, schema) => {
  const documented = options.filter((option) => option.of === of && option.name in schema.shape)

  it('are all documented', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual(Object.keys(schema.shape).sort())
  })

  it('have the defaults that their documentation names', () => {
    for (const option of documented) {
      const { data, success } = schema.shape[option.name]?.safeParse(undefined) ?? {}
      if (!success) expect(option.defaultText, `${nameOf(option)} is required`).toBeUndefined()
      else if (data === undefined) expect(option.defaultText, nameOf(option)).toMatch(/\S/)
      else expect(literal(option), nameOf(option)).toEqual(data)
    }
  })

  it('are as if they were missing where they are undefined', () => {
    const undefinedOptions = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, undefined]))
    const { success, data } = schema.safeParse({})
    expect(schema.safeParse(undefinedOptions)).toMatchObject({ success, ...(success ? { data } : {}) })
  })
})

function nameOf({ of, name }: DocumentedOption): string {
  return `${of}.${name}`
}

/** The value of a literal as source code has it: `'auto'`, `60_000`, `[]`. */
function literal(option: DocumentedOption): unknown {
  const text = option.defaultText ?? ''
  try {
    return JSON.parse(text.replaceAll("'", '"').replaceAll(/(?<=\d)_(?=\d)/g, ''))
  } catch {
    throw new Error(`The default of ${nameOf(option)} is not a literal: ${text}`)
  }
}
