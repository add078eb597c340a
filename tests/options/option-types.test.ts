import type { Language } from '@fenced/core'
import type { ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import type { DockerExecutorOptions } from '@fenced/executor-docker'
import type {
  JupyterConnectionInfo,
  JupyterExecutorOptions,
  LocalJupyterServerOptions,
  SandboxJupyterServerOptions,
} from '@fenced/executor-jupyter'
import type { DockerJupyterServerOptions } from '@fenced/executor-jupyter/docker'
import type { KubernetesExecutorOptions } from '@fenced/executor-kubernetes'
import type { LocalExecutorOptions } from '@fenced/executor-local'
import type {
  PythonCodeExecutionToolOptions,
  SystemPythonEnvironmentOptions,
  VenvPythonEnvironmentOptions,
} from '@fenced/python-env'
import type { DockerPythonEnvironmentOptions } from '@fenced/python-env/docker'
import type { ImageOptions, imageOptionsShape } from '@fenced/sandbox-docker'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type {
  dockerExecutorOptionsSchema,
  dockerJupyterServerOptionsSchema,
  dockerPythonEnvironmentOptionsSchema,
  jupyterConnectionInfoSchema,
  jupyterExecutorOptionsSchema,
  kubernetesExecutorOptionsSchema,
  localExecutorOptionsSchema,
  localJupyterServerOptionsSchema,
  pythonCodeExecutionToolOptionsSchema,
  sandboxJupyterServerOptionsSchema,
  systemPythonEnvironmentOptionsSchema,
  venvPythonEnvironmentOptionsSchema,
} from './schemas.ts'

/** Without `readonly`, which a schema does not speak of. */
type Plain<T> = T extends (...parameters: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<T[Name]> }
    : T

type Taken<Schema extends z.ZodType> = Plain<z.input<Schema>>

// The compiler runs this test: `pnpm check`.
test('an interface of options has what its schema takes, and nothing else', () => {
  expectTypeOf<Plain<ExecutorOptions>>().toEqualTypeOf<Taken<z.ZodObject<typeof engineOptionsShape>>>()
  expectTypeOf<Plain<ImageOptions>>().toEqualTypeOf<Taken<z.ZodObject<typeof imageOptionsShape>>>()
  expectTypeOf<Plain<LocalExecutorOptions>>().toEqualTypeOf<Taken<typeof localExecutorOptionsSchema>>()
  expectTypeOf<Plain<DockerExecutorOptions>>().toEqualTypeOf<Taken<typeof dockerExecutorOptionsSchema>>()
  expectTypeOf<Plain<KubernetesExecutorOptions>>().toEqualTypeOf<
    Taken<typeof kubernetesExecutorOptionsSchema>
  >()
  expectTypeOf<Plain<JupyterExecutorOptions>>().toEqualTypeOf<Taken<typeof jupyterExecutorOptionsSchema>>()
  expectTypeOf<Plain<JupyterConnectionInfo>>().toEqualTypeOf<Taken<typeof jupyterConnectionInfoSchema>>()
  expectTypeOf<Plain<LocalJupyterServerOptions>>().toEqualTypeOf<
    Taken<typeof localJupyterServerOptionsSchema>
  >()
  expectTypeOf<Plain<DockerJupyterServerOptions>>().toEqualTypeOf<
    Taken<typeof dockerJupyterServerOptionsSchema>
  >()
  expectTypeOf<Omit<Plain<SandboxJupyterServerOptions>, 'sandbox'>>().toEqualTypeOf<
    Omit<Taken<typeof sandboxJupyterServerOptionsSchema>, 'sandbox'>
  >()
  expectTypeOf<Plain<SystemPythonEnvironmentOptions>>().toEqualTypeOf<
    Taken<typeof systemPythonEnvironmentOptionsSchema>
  >()
  expectTypeOf<Plain<VenvPythonEnvironmentOptions>>().toEqualTypeOf<
    Taken<typeof venvPythonEnvironmentOptionsSchema>
  >()
  expectTypeOf<Plain<DockerPythonEnvironmentOptions>>().toEqualTypeOf<
    Taken<typeof dockerPythonEnvironmentOptionsSchema>
  >()
  expectTypeOf<Plain<PythonCodeExecutionToolOptions>>().toEqualTypeOf<
    Taken<typeof pythonCodeExecutionToolOptionsSchema>
  >()
})

test('`languages` are rows of the table of languages', () => {
  expectTypeOf<LocalExecutorOptions['languages']>().toEqualTypeOf<readonly Language[] | undefined>()
  expectTypeOf<{ languages: [{ idd: 1 }] }>().not.toExtend<LocalExecutorOptions>()
})
