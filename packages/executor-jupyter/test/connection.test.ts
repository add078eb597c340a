// @module-tag all

import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from './faults/failure.ts'
import { RemoteServer, serverArguments } from './faults/remote-server.ts'
import {
  cancelledAtOutput,
  directExecutor,
  jupyter,
  jupyterPython,
  longGrace,
  python,
  run,
} from './support.ts'

describe.skipIf(jupyter.missing)('a server that was there before', () => {
  let server: RemoteServer
  beforeAll(async () => {
    server = await RemoteServer.start({
      args: [
        ...serverArguments,
        '--ServerApp.base_url=/user/ann/',
        // Bytes a second; the default is too much for a slow machine.
        '--ZMQChannelsWebsocketConnection.iopub_data_rate_limit=100000',
      ],
      baseUrl: '/user/ann/',
    })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('is reached by its address, its token and its path prefix', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info })
    await run(executor, 'x = 6')
    expect(await run(executor, 'print(x * 7)')).toMatchObject({ status: 'ok', output: '42\n' })
    expect(await server.kernelIds()).toHaveLength(1)
    await executor.stop()
    await expect.poll(() => server.kernelIds()).toEqual([])
  })

  test.for(['user/ann', '/user/ann', 'user/ann/', '//user/ann//'])(
    'does not mind how the prefix is written: %s',
    rowTags({ nightly: [{ except: ['//'] }] }),
    async (baseUrl) => {
      await using executor = new JupyterCodeExecutor({ server: { ...server.info, baseUrl } })
      await executor.start()
    },
  )

  test('that gets a wrong token, or none, is an error that says so and does not repeat it', async () => {
    for (const [token, option] of [
      ['wrong-4711', 'token'],
      [undefined, 'token, headers'],
    ] as const) {
      await using executor = new JupyterCodeExecutor({ server: { ...server.info, token } })
      const error = await failure(executor.start())
      expect(error).toMatchObject({
        code: 'JUPYTER_UNAUTHORIZED',
        data: { url: `http://127.0.0.1:${server.info.port}/user/ann/`, status: '403', option },
      })
      expect(JSON.stringify([error.message, error.data])).not.toContain('4711')
    }
  })

  test('that is asked without its prefix is an error that names `baseUrl`', async () => {
    const { baseUrl: _, ...info } = server.info
    await using executor = new JupyterCodeExecutor({ server: info })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'JUPYTER_FAILED',
      data: { status: expect.stringMatching(/^40\d$/), option: 'baseUrl' },
    })
  })

  test('that does not have the kernel is an error with the names of those that it has', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, kernelName: 'cobol' })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'KERNEL_NOT_FOUND',
      data: { kernel: 'cobol', known: expect.stringContaining('bash'), option: 'kernelName' },
    })
    expect(error.data?.known).toContain('python3')
    await expect.poll(() => server.kernelIds()).toEqual([])
  })

  test('whose kernel speaks another language than promised is an error, and the kernel is ended', {
    tags: 'nightly',
  }, async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, kernelName: 'bash' })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'KERNEL_LANGUAGE',
      data: { kernel: 'bash', language: 'bash', needed: 'python' },
    })
    await expect.poll(() => server.kernelIds()).toEqual([])
  })

  test('runs the cells of a kernel of another language', async () => {
    await using executor = new JupyterCodeExecutor({
      server: server.info,
      kernelName: 'bash',
      language: 'bash',
    })
    await expectBash(executor)
  })

  test('is reached with a login in headers, which no error repeats', async () => {
    const { token, ...info } = server.info
    const headers = { Authorization: `token ${token}` }
    await using executor = new JupyterCodeExecutor({ server: { ...info, headers } })
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
    expect(JSON.stringify(executor.toConfig())).not.toContain(token)
    const wrong = { Authorization: 'token wrong-4711' }
    await using refused = new JupyterCodeExecutor({ server: { ...info, headers: wrong } })
    const error = await failure(refused.start())
    expect(error.code).toBe('JUPYTER_UNAUTHORIZED')
    expect(JSON.stringify([error.message, error.data])).not.toContain('4711')
  })

  test('has a kernel with variables, which stays when an executor stops that used it', async () => {
    await using owner = new JupyterCodeExecutor({ server: server.info })
    await run(owner, 'x = 6')
    const [kernelId] = await server.kernelIds()
    const guest = new JupyterCodeExecutor({ server: server.info, kernelId, interruptGraceMs: 500 })
    expect((await run(guest, 'y = 7', 'print(x * y)')).output).toBe('42\n')
    await guest.restart()
    expect((await run(guest, 'print(y)')).output).toBe('7\n')
    await guest.stop()
    expect((await run(owner, 'print(y)')).output).toBe('7\n')
    await guest.start()
    const stubborn = [
      'import time',
      'while True:',
      '    try:',
      '        print("begun", flush=True)',
      '        time.sleep(100)',
      '    except KeyboardInterrupt: pass',
    ]
    const late = await cancelledAtOutput(guest, ...stubborn)
    expect(late.blocks[0]?.notices.map(({ code }) => code)).toEqual(['state-lost', 'cancelled'])
    expect((await run(guest, "print('y' in globals())")).output).toBe('False\n')
    await guest.stop()
    expect(await server.kernelIds()).toEqual([kernelId])
  })

  test('that has no kernel of an id is an error that names it', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, kernelId: 'unheard' })
    expect(await failure(executor.start())).toMatchObject({
      code: 'KERNEL_NOT_FOUND',
      data: { kernel: 'unheard', option: 'kernelId' },
    })
  })

  test('that drops output which comes too fast is not believed to have given all', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info })
    const result = await run(executor, 'for _ in range(40):', "    print('x' * 500_000, flush=True)")
    const codes = result.blocks.flatMap(({ notices }) => notices.map(({ code }) => code))
    expect(codes).toContain('output-dropped-by-server')
    expect(result.status).toBe('ok')
  })
})

describe.skipIf(jupyter.missing)('a server without a token', () => {
  test('is used, although it refuses requests that a page of another site could send', async () => {
    const args = [...serverArguments, '--IdentityProvider.token=']
    await using server = await RemoteServer.start({ args, token: '' })
    const { token: _, ...info } = server.info
    await using executor = new JupyterCodeExecutor({ ...longGrace, server: info })
    await run(executor, 'kept = 7')
    const late = await executor.execute([python('import time', 'time.sleep(1000)')], { timeoutMs: 500 })
    expect(late.status).toBe('timeout')
    expect((await run(executor, 'print(kept)')).output).toBe('7\n')
    await executor.stop()
    await expect.poll(() => server.kernelIds()).toEqual([])
  })
})

describe.skipIf(jupyter.missing)('a Kernel Gateway', () => {
  let gateway: RemoteServer
  beforeAll(async () => {
    gateway = await RemoteServer.start({ module: 'kernel_gateway' })
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test('keeps variables, gives pictures and is interrupted', async () => {
    await using executor = new JupyterCodeExecutor({ ...longGrace, server: gateway.info })
    await run(executor, 'kept = 7')
    const picture = await run(
      executor,
      'from IPython.display import display, Image',
      'import base64',
      'png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="',
      'display(Image(base64.b64decode(png)))',
    )
    expect(picture.files.map(({ path }) => path)).toEqual([expect.stringMatching(/\.png$/)])
    const late = await executor.execute([python('import time', 'time.sleep(1000)')], { timeoutMs: 1_000 })
    expect(late).toMatchObject({ status: 'timeout', exitCode: 124 })
    expect(await run(executor, 'print(kept)')).toMatchObject({ status: 'ok', output: '7\n' })
  })

  test('gives variables to a kernel', async () => {
    await using executor = new JupyterCodeExecutor({ server: gateway.info, env: { KERNEL_USERNAME: 'ann' } })
    expect((await run(executor, 'import os', 'print(os.environ["KERNEL_USERNAME"])')).output).toBe('ann\n')
  })

  test('refuses a wrong token', async () => {
    await using executor = new JupyterCodeExecutor({ server: { ...gateway.info, token: 'wrong' } })
    expect(await failure(executor.start())).toMatchObject({ code: 'JUPYTER_UNAUTHORIZED' })
  })
})

describe.skipIf(jupyter.missing)('a kernel of our own', () => {
  test('may speak another language', { tags: 'nightly' }, async () => {
    await using executor = directExecutor({ kernelName: 'bash', language: 'bash' })
    await expectBash(executor)
  })

  test('of an unknown name is an error with the names of those that there are', async () => {
    await using executor = directExecutor({ kernelName: 'cobol' })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'KERNEL_NOT_FOUND',
      data: { kernel: 'cobol', known: expect.stringContaining('bash'), option: 'kernelName' },
    })
    expect(error.data?.python).toContain(jupyterPython)
  })

  test('that speaks another language than promised is an error', async () => {
    await using executor = directExecutor({ kernelName: 'bash', language: 'ruby' })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'KERNEL_LANGUAGE',
      data: { kernel: 'bash', language: 'bash', needed: 'ruby' },
    })
  })
})

async function expectBash(executor: JupyterCodeExecutor): Promise<void> {
  await executor.execute([{ language: 'bash', code: 'GREETING=hello; cd /' }])
  expect(await executor.execute([{ language: 'sh', code: 'echo "$GREETING from $(pwd)"' }])).toMatchObject({
    status: 'ok',
    exitCode: 0,
    output: 'hello from /\n',
  })
  expect(await executor.execute([{ language: 'bash', code: 'echo before; (exit 3)' }])).toMatchObject({
    status: 'error',
    exitCode: 3,
    output: expect.stringMatching(/^before\n/),
  })
  const refused = await executor.execute([python('print(1)')])
  expect(refused).toMatchObject({
    status: 'invalid',
    blocks: [
      {
        notices: [
          {
            code: 'unsupported-language',
            data: { language: 'python', known: expect.stringContaining('bash') },
          },
        ],
      },
    ],
  })
}
