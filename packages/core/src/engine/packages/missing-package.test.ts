import { describe, expect, test } from 'vitest'
import { findMissingPackage } from './missing-package.ts'

const noModule = (module: string) => `ModuleNotFoundError: No module named '${module}'`

const traceback = (...lines: string[]) =>
  ['Traceback (most recent call last):', '  File "/srv/task/a.py", line 1, in <module>', ...lines, ''].join(
    '\n',
  )

describe('a package is missing', () => {
  test('says a traceback at the end of the output', ({ everyRow }) =>
    everyRow<[what: string, output: string, module: string, name: string]>(
      [
        ['a traceback', traceback('    import numpy', noModule('numpy')), 'numpy', 'numpy'],
        ['a traceback behind output', `1\n2\n${traceback(noModule('numpy'))}`, 'numpy', 'numpy'],
        ['a traceback with CRLF', traceback(noModule('numpy')).replaceAll('\n', '\r\n'), 'numpy', 'numpy'],
        ['a traceback and empty lines', `${traceback(noModule('numpy'))}\n \n`, 'numpy', 'numpy'],
        [
          'an import in a file of one’s own',
          traceback(
            '    import helper',
            '  File "/srv/task/helper.py", line 1',
            '    import rich',
            noModule('rich'),
          ),
          'rich',
          'rich',
        ],
        [
          'the second of two errors',
          `${traceback("KeyError: 'x'")}\nDuring handling of the above exception, another exception occurred:\n\n${traceback(noModule('rich'))}`,
          'rich',
          'rich',
        ],
        [
          'a kernel, in its colours',
          `\u001b[31m---------\u001b[39m\n\u001b[31mModuleNotFoundError\u001b[39m Traceback (most recent call last)\n\u001b[32m----> 1\u001b[39m import rich\n\n\u001b[0;31mModuleNotFoundError\u001b[0m: No module named 'rich'`,
          'rich',
          'rich',
        ],
        [
          'a guess at another name',
          traceback(`${noModule('panda')}. Did you mean: 'pandas'?`),
          'panda',
          'panda',
        ],
        ['much output', 'x'.repeat(100_000) + traceback('', noModule('rich')), 'rich', 'rich'],
      ],
      (_, output, module, name) => {
        expect(findMissingPackage(output)).toMatchObject({ module, distribution: { name } })
      },
    ))

  test('has the name of its distribution where the module has another', ({ everyRow }) =>
    everyRow<[module: string, name: string, isKnown: boolean]>(
      [
        ['cv2', 'opencv-python', true],
        ['PIL', 'pillow', true],
        ['PIL.Image', 'pillow', true],
        ['sklearn', 'scikit-learn', true],
        ['sklearn.linear_model', 'scikit-learn', true],
        ['yaml', 'PyYAML', true],
        ['bs4', 'beautifulsoup4', true],
        ['distutils', 'setuptools', true],
        ['google.cloud.storage', 'google-cloud-storage', true],
        ['google.cloud.storage.client', 'google-cloud-storage', true],
        ['ruamel', 'ruamel.yaml', true],
        ['matplotlib.pyplot', 'matplotlib', false],
        ['tiny_too', 'tiny_too', false],
        ['constructor', 'constructor', false],
        ['__proto__', '__proto__', false],
        ['toString.call', 'toString', false],
      ],
      (module, name, isKnown) => {
        expect(findMissingPackage(traceback(noModule(module)))).toEqual({
          module,
          distribution: { name, isKnown },
        })
      },
    ))
})

describe('no package is missing', () => {
  test('according to any other output', ({ everyRow }) =>
    everyRow<[what: string, output: string]>(
      [
        ['nothing was said', ''],
        ['another error', traceback("NameError: name 'x' is not defined")],
        ['a name that a module lacks', traceback("ImportError: cannot import name 'x' from 'numpy'")],
        [
          'a module that is there',
          traceback("ModuleNotFoundError: No module named 'json.x'; 'json' is not a package").trimEnd(),
        ],
        [
          'an error that was handled',
          `${traceback(noModule('rich'))}going on without colours\nValueError: bad input\n`,
        ],
        [
          'an error that led to another one',
          `${traceback(noModule('rich'))}\nThe above exception was the direct cause of the following exception:\n\n${traceback('RuntimeError: install rich first')}`,
        ],
        ['a line that quotes it', `the error was ${noModule('rich')}\n`],
        ['a name with spaces', traceback(noModule('a b'))],
        ['a name with a quote', traceback(noModule("a'b"))],
      ],
      (_, output) => {
        expect(findMissingPackage(output)).toBeUndefined()
      },
    ))

  test('where the module belongs to Python itself', ({ everyRow }) =>
    everyRow(
      ['tkinter', '_tkinter', 'tkinter.ttk', 'sqlite3', '_ctypes', 'imp', 'ensurepip', 'pip'],
      (module) => expect(findMissingPackage(traceback(noModule(module)))).toBeUndefined(),
    ))

  test.each(['google', 'google.cloud', 'azure', 'azure.storage'])(
    '%s is shared by many, and which one it is cannot be told',
    (module) => expect(findMissingPackage(traceback(noModule(module)))).toBeUndefined(),
  )
})
