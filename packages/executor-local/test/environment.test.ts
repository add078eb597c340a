import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { python } from './requirements.ts'

describe.skipIf(python.missing)('the environment of programs', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('holds what a program needs, and nothing else of the host', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'hunter2')
    vi.stubEnv('LC_TIME', 'C')
    const seen = await environmentOf({})
    expect(`:${seen.PATH}`.endsWith(`:${process.env.PATH}`)).toBe(true)
    expect(seen).toMatchObject({ HOME: process.env.HOME, LC_TIME: 'C' })
    expect(Object.values(seen)).not.toContain('hunter2')
  })

  it.skipIf(process.platform === 'win32')('holds no variable that only looks like one of those', async () => {
    const names = ['LC_TOKEN', 'lc_secret', 'APPDATA', 'USERPROFILE', 'Home', 'Shell', 'path', 'tmp']
    for (const name of names) vi.stubEnv(name, 'hunter2')
    expect(Object.values(await environmentOf({}))).not.toContain('hunter2')
  })

  it('keeps programs from asking, paging and buffering', async () => {
    expect(await environmentOf({})).toMatchObject({
      ...{ PIP_NO_INPUT: '1', PIP_PROGRESS_BAR: 'off', UV_NO_PROGRESS: '1' },
      ...{ PAGER: 'cat', PYTHONUNBUFFERED: '1' },
    })
  })

  it('names the directory for temporary files by an absolute path', async () => {
    const usual = tmpdir()
    vi.stubEnv('TMPDIR', relative(process.cwd(), usual))
    expect(await environmentOf({})).toMatchObject({ TMPDIR: usual })
  })

  it('takes what `env` adds, which wins over everything', async () => {
    expect(await environmentOf({ env: { TOKEN: 'mine', PAGER: 'more' } })).toMatchObject({
      TOKEN: 'mine',
      PAGER: 'more',
    })
  })

  it('is the host’s with `inheritEnv`', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'hunter2')
    expect(await environmentOf({ inheritEnv: true })).toMatchObject({ OPENAI_API_KEY: 'hunter2' })
  })

  it('leaves variables of pip and uv as they are with `inheritEnv`', async () => {
    vi.stubEnv('PIP_PROGRESS_BAR', 'ascii')
    vi.stubEnv('PIP_CONFIG_FILE', '/mine/pip.conf')
    vi.stubEnv('PAGER', 'more')
    expect(await environmentOf({ inheritEnv: true })).toMatchObject({
      ...{ PIP_PROGRESS_BAR: 'ascii', PIP_CONFIG_FILE: '/mine/pip.conf' },
      ...{ PIP_NO_INPUT: '1', PAGER: 'cat' },
    })
    expect(await environmentOf({})).toMatchObject({ PIP_PROGRESS_BAR: 'off' })
  })
})

async function environmentOf(options: LocalExecutorOptions): Promise<Record<string, string>> {
  await using executor = new LocalCommandLineCodeExecutor(options)
  const { output } = await executor.execute([
    { language: 'python', code: 'import json, os; print(json.dumps(dict(os.environ)))' },
  ])
  return JSON.parse(output)
}
