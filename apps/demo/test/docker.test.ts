import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { answer, demo, folder } from './demo.ts'
import { containersOf, docker, images } from './docker.ts'
import { slowEngine } from './slow-engine.ts'

const inPython = ['--executor', 'docker', '--image', images.python]

describe.skipIf(docker.missing)('--executor docker', () => {
  it('holds the conversation in a container, and its files stay', async () => {
    const workDir = join(folder, 'conversation')
    const { exitCode, stdout, processId } = await demo([...inPython, '--work-dir', workDir])
    expect(stdout).toContain('where   in a container of fenced-test/python, without network')
    expect(stdout).toContain('limit   60 s for each block, 2 GiB of memory, 1 processor')
    expect(stdout).toContain('! IndexError: list index out of range')
    expect(stdout).toContain('> 786 by 240 pixels, in small:')
    expect(exitCode).toBe(0)
    expect(await readdir(workDir)).toEqual(['collatz.png', 'collatz.py'])
    expect(await containersOf(processId)).toEqual([])
  })

  it('repairs in a container, and the file stays', async () => {
    const workDir = join(folder, 'repair-in-container')
    const options = ['--approve', 'always', '--work-dir', workDir]
    const { exitCode, stdout, processId } = await demo(['repair', ...inPython, ...options])
    expect(stdout).toContain('! RecursionError: ')
    expect(stdout).toContain('! ValueError: Exceeds the limit')
    expect(stdout).toContain('> 5,225 digits: ')
    expect(exitCode).toBe(0)
    expect(await readdir(workDir)).toEqual(['fibonacci.py', 'fibonacci.txt'])
    expect(await containersOf(processId)).toEqual([])
  })

  it('says what the image lacks', async () => {
    const { exitCode, stdout } = await demo(['--executor', 'docker', '--image', images.busybox])
    expect(stdout).toContain('The sandbox has no interpreter for python')
    expect(exitCode).toBe(1)
  })

  it('Ctrl-C stops the program and takes the container away', async () => {
    const seconds = uniqueSeconds()
    const { exitCode, stdout, processId } = await demo(['--answer', '-', ...inPython], {
      input: answer(['sh', `echo started; sleep ${seconds} & sleep ${seconds}`]),
      onOutput: ['> started', (child) => child.kill('SIGINT')],
    })
    expect(exitCode).toBe(130)
    expect(stdout).toMatch(/cancelled, exit code 125/)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await containersOf(processId)).toEqual([])
  })

  it.each<[string, string[], RegExp]>([
    [
      'a network that is not there',
      ['--network', 'fenced-test-nowhere'],
      /network fenced-test-nowhere not found/,
    ],
    ['a directory without a Dockerfile', ['--build', '.'], /Dockerfile/],
  ])('%s gives one clear line and exit code 2', async (_, args, message) => {
    const { exitCode, stdout, stderr, processId } = await demo([...inPython, ...args])
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^demo: .*\n$/m)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(await containersOf(processId)).toEqual([])
  })
})

describe('an image that has to be pulled', () => {
  it('is said on standard error, and Ctrl-C ends the pull and leaves nothing', async () => {
    await using engine = await slowEngine(join(folder, 'engine.sock'))
    const temporary = join(folder, 'temporary')
    await mkdir(temporary)
    const { exitCode, stdout, stderr } = await demo(['--executor', 'docker', '--image', 'test/slow'], {
      env: { DOCKER_HOST: engine.address, TMPDIR: temporary },
      onOutput: ['Pulling', (child) => engine.asked.then(() => child.kill('SIGINT'))],
    })
    expect(stderr).toBe('Pulling the image test/slow:latest.\ndemo: Cancelled before anything was run.\n')
    expect(exitCode).toBe(130)
    expect(stdout).toBe('')
    await engine.hungUp
    expect(await readdir(temporary)).toEqual([])
  })
})
