import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { declareWritable, trustedPath } from '@fenced/core/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { captureOutput } from '../src/capture-output.ts'
import { compileProgram } from '../src/compile-program.ts'
import { findPython } from '../src/find-python.ts'
import { findProgram, programOnPath, programsOnPath, withTrustedPath } from '../src/trusted-programs.ts'

describe.skipIf(process.platform === 'win32')(
  'a program that this process starts outside of a sandbox',
  () => {
    let open = ''
    let closed = ''
    beforeEach(async () => {
      const folder = realpathSync.native(await mkdtemp(join(tmpdir(), 'fenced-trusted-')))
      open = join(folder, 'open')
      closed = join(folder, 'closed')
      for (const path of [open, closed]) mkdirSync(path)
      declareWritable(open)
    })
    afterEach(() => rm(join(open, '..'), { recursive: true }))

    function write(path: string, script: string): void {
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
    }

    it('is on no PATH entry that code can write or create, nor in the packages of a project', () => {
      symlinkSync(open, join(closed, 'link'))
      const entries = [
        open,
        join(open, 'later'),
        join(closed, 'link'),
        '',
        '.',
        'bin',
        '/p/node_modules/.bin',
      ]
      const path = [...entries, closed].join(delimiter)
      expect(trustedPath(path)).toBe(closed)
      expect(withTrustedPath({ PATH: path, HOME: '/' })).toEqual({ PATH: closed, HOME: '/' })
    })

    it('is found behind such entries, and nowhere when there are no others', () => {
      for (const directory of [open, closed]) write(join(directory, 'tool'), 'true')
      expect(findProgram('tool', { path: `${open}${delimiter}${closed}` })).toBe(join(closed, 'tool'))
      expect(findProgram('package.json', { path: open })).toBe(undefined)
      expect(findProgram('tool', { path: open })).toBe(undefined)
    })

    it('is looked for in the order of PATH, past directories and files that are not programs', () => {
      for (const directory of [open, closed]) write(join(directory, 'tool'), 'true')
      const data = join(closed, 'data')
      mkdirSync(data)
      writeFileSync(join(data, 'tool'), 'true')
      mkdirSync(join(data, 'folder', 'tool'), { recursive: true })
      const path = ['/nowhere', data, join(data, 'folder'), closed, `"${open}"`].join(delimiter)
      expect(programsOnPath('tool', path)).toEqual([join(closed, 'tool'), join(open, 'tool')])
      expect(programOnPath('tool', path)).toBe(join(closed, 'tool'))
      expect(programOnPath(join(open, 'tool'), path)).toBe(join(open, 'tool'))
      expect(programOnPath('tool', data)).toBe(undefined)
      expect(programsOnPath('nothing', path)).toEqual([])
    })

    it('is refused when it is a link to what code can write, and the error names both', () => {
      write(join(open, 'tool'), 'true')
      symlinkSync(join(open, 'tool'), join(closed, 'tool'))
      expect(() => findProgram('tool', { path: closed })).toThrow(
        expect.objectContaining({
          code: 'PROGRAM_WRITABLE',
          data: { program: join(closed, 'tool'), directory: open },
        }),
      )
    })

    it('is refused where an installer or an interpreter is run by its path', async () => {
      write(join(open, 'python'), `echo > ${closed}/was-run`)
      await expect(captureOutput([join(open, 'python')], { env: {} })).rejects.toMatchObject({
        code: 'PROGRAM_WRITABLE',
      })
      expect(existsSync(join(closed, 'was-run'))).toBe(false)
    })

    it('is refused when it is a Python whose library code can write', async () => {
      write(join(closed, 'python3'), `printf '%s\\n' ${closed}/python3 ${closed} ${closed} ${open}/os.py`)
      const search = { python: undefined, host: { VIRTUAL_ENV: '' }, path: closed }
      await expect(findPython(search)).rejects.toMatchObject({ code: 'PROGRAM_WRITABLE' })
    })

    it('is refused when it is to compile a program, too', async () => {
      write(join(closed, 'python3'), `printf '%s\\n' ${closed}/python3 ${closed} ${closed} ${open}/os.py`)
      const search = { python: undefined, host: { VIRTUAL_ENV: '' }, path: closed }
      const compiling = compileProgram(search, { name: 'ours', source: '' })
      await expect(compiling).rejects.toMatchObject({ code: 'PROGRAM_WRITABLE' })
    })

    it('compiles a program without a secret of this process', async () => {
      write(
        join(closed, 'python3'),
        `env >> ${closed}/seen; printf '%s\\n' ${closed}/python3 ${closed} ${closed} ${closed}/os.py`,
      )
      const host = { TOKEN: 'of-the-host', PATH: process.env.PATH }
      const search = { python: undefined, host, path: closed }
      expect(await compileProgram(search, { name: 'ours', source: '' })).toBeDefined()
      const seen = readFileSync(join(closed, 'seen'), 'utf8')
      expect(seen.match(/^PATH=/gm)).toHaveLength(2)
      expect(seen).not.toContain('of-the-host')
    })

    it('is asked which Python it is without a secret of this process', async () => {
      write(
        join(closed, 'python3'),
        `env > ${closed}/seen; printf '%s\\n' ${closed}/python3 ${closed} ${closed} ${closed}/os.py`,
      )
      const host = {
        TOKEN: 'of-the-host',
        MISE_GITHUB_TOKEN: 'of-the-host',
        PYENV_VERSION: '3.12',
        PATH: process.env.PATH,
      }
      expect(await findPython({ python: undefined, host, path: closed })).toMatchObject({
        command: [join(closed, 'python3')],
      })
      const seen = readFileSync(join(closed, 'seen'), 'utf8')
      expect(seen).toContain('PYENV_VERSION=3.12')
      expect(seen).not.toContain('of-the-host')
    })
  },
)
