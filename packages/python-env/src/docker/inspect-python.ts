import { type CodeResult, FencedError, type StartOptions } from '@fenced/core'
import { interpreterQuestion, type PythonInterpreter, readAnswer } from '../python-interpreter.ts'
import { createDockerExecutor, type ExecutorSource } from './create-docker-executor.ts'

/**
 * Returns information about the Python of an image that runs blocks, from a block in a temporary container.
 *
 * @throws FencedError `PYTHON_NOT_FOUND`.
 */
export async function inspectPython(
  source: ExecutorSource,
  options: StartOptions,
): Promise<PythonInterpreter> {
  await using executor = await createDockerExecutor(source, { ...options, network: 'none' })
  const { signal } = options
  const question = [{ language: 'python', code: interpreterQuestion }]
  const result = await executor.execute(question, signal === undefined ? {} : { signal })
  signal?.throwIfAborted()
  const python = result.status === 'ok' ? readAnswer(result.blocks[0]?.stdout ?? '') : undefined
  if (python === undefined) throw notFound(source, result)
  return python
}

function notFound({ image }: ExecutorSource, { status, exitCode, output }: CodeResult): FencedError {
  return new FencedError({
    code: 'PYTHON_NOT_FOUND',
    message:
      `The image ${image.name} has no working Python (${status}, exit code ${exitCode}). Choose an \`image\` with Python, such as python:3-slim.\n${output}`.trim(),
    data: { image: image.name, status, exitCode: String(exitCode), output: output.trim(), option: 'image' },
  })
}
