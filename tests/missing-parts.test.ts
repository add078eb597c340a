import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../packages')

/** Node reads it before the program, which then finds neither the optional libraries nor a file of the built page. */
const hook = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) => next(/^(node-forge|zeromq)$/.test(name) ? 'not-installed' : name, context),
  load: (url, context, next) =>
    /web.src.embedded\\.ts$/.test(url)
      ? { format: 'module', source: 'export const pageFiles = {}', shortCircuit: true }
      : next(url, context),
})`

it.each([
  {
    part: 'zeromq',
    call: `openZeromqChannels({ paths: {}, key: '' }, {})`,
    from: 'executor-jupyter/src/channels/zeromq-channels.ts',
    code: 'ZEROMQ_MISSING',
  },
  {
    part: 'node-forge',
    call: 'SandboxAuthority.create()',
    from: 'sandbox/src/network/secrets/authority.ts',
    code: 'SECRETS_UNAVAILABLE',
  },
  {
    part: 'the built page',
    call: `pageResponse('/')`,
    from: 'web/src/http/page.ts',
    code: 'PAGE_NOT_BUILT',
  },
])('without $part, the error is $code', async ({ call, from, code }) => {
  const [name = ''] = call.split(/[.(]/)
  const program = `
const { ${name} } = await import(${JSON.stringify(join(packages, from))})
const error = await ${call}.catch((error) => error)
process.stdout.write(error.code ?? String(error))`
  const args = ['--conditions=@fenced/source', `--import=data:text/javascript,${encodeURIComponent(hook)}`]
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...args,
    '--input-type=module',
    '--eval',
    program,
  ])
  expect(stdout).toBe(code)
})
