import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalJupyterServer } from '@fenced/executor-jupyter'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { answer, demo, folder } from './demo.ts'
import { jupyter, jupyterEnvironment } from './jupyter.ts'

const inKernel = ['--executor', 'jupyter', '--python', jupyterEnvironment]

describe.skipIf(jupyter.missing)('--executor jupyter', () => {
  it('holds the conversation with one kernel, whose variables and picture stay', async () => {
    const workDir = join(folder, 'kernel')
    const { exitCode, stdout } = await demo([...inKernel, '--work-dir', workDir])
    expect(stdout).toContain('where   in a Jupyter kernel on this machine, not isolated')
    expect(stdout).toContain('! IndexError: list index out of range')
    expect(stdout).toContain('The kernel still has `way`')
    expect(stdout).toContain('> 786 by 240 pixels, in small:')
    expect(exitCode).toBe(0)
    const [picture = ''] = await readdir(workDir)
    expect((await readFile(join(workDir, picture))).subarray(1, 4).toString()).toBe('PNG')
  })

  it('repairs in a kernel, whose variables stay, and so does the file', async () => {
    const workDir = join(folder, 'repair-in-kernel')
    const options = ['--approve', 'always', '--work-dir', workDir]
    const { exitCode, stdout } = await demo(['repair', ...inKernel, ...options])
    expect(stdout).toContain('RecursionError: ')
    expect(stdout).toContain('ValueError: Exceeds the limit')
    expect(stdout).toContain('the kernel still has `number`')
    expect(stdout).toContain('> 5,225 digits: ')
    expect(exitCode).toBe(0)
    expect(await readdir(workDir)).toEqual(['fibonacci.txt'])
  })

  it('uses a server that runs already', async () => {
    await using server = new LocalJupyterServer({ python: jupyterEnvironment })
    const { host, port, token } = await server.connect()
    const address = `http://${host}:${port}/?token=${token}`
    const { exitCode, stdout } = await demo(['--answer', '-', '--executor', 'jupyter', '--server', address], {
      input: answer(['python', 'kept = 41'], ['python', 'kept + 1']),
    })
    expect(stdout).toContain('> 42')
    expect(stdout).not.toContain(token)
    expect(exitCode).toBe(0)
  })

  it('Ctrl-C stops the cell and takes the kernel away', async () => {
    const seconds = uniqueSeconds()
    const { exitCode, stdout } = await demo(['--answer', '-', ...inKernel], {
      input: answer(['python', `print('started', flush=True)\n!sleep ${seconds}`]),
      onOutput: ['> started', (child) => child.kill('SIGINT')],
    })
    expect(exitCode).toBe(130)
    expect(stdout).toMatch(/cancelled, exit code 125/)
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it.each<[string, string[], RegExp]>([
    ['a Python that is not there', ['--python', '/no/such/python'], /does not exist/],
    ['a server that does not run', ['--server', 'http://127.0.0.1:1/'], /could not be reached/],
    ['an option of another executor', ['--image', 'python:3'], /--image is for --executor docker/],
  ])('%s gives one clear line and exit code 2', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await demo(['--executor', 'jupyter', ...args])
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^demo: .*\n$/m)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
  })
})
