import { describe, expect, test } from 'vitest'
import { type InstallablePackages, installableAs } from './installable.ts'

describe('what may be installed', () => {
  test('is a package of the list, under its own requirement', ({ everyRow }) =>
    everyRow<[wanted: string, installable: InstallablePackages, as: string]>(
      [
        ['pandas', ['numpy', 'pandas'], 'pandas'],
        ['pandas', ['pandas==2.3.0'], 'pandas==2.3.0'],
        ['pandas', [' pandas >= 2, < 3'], ' pandas >= 2, < 3'],
        ['pandas', ['pandas[excel]>=2'], 'pandas[excel]>=2'],
        ['pandas', ['pandas ; python_version > "3"'], 'pandas ; python_version > "3"'],
        ['pandas', ['pandas @ https://wheels.test/pandas.whl'], 'pandas @ https://wheels.test/pandas.whl'],
        ['pandas', ['pandas~=2.0', 'pandas==1.0'], 'pandas~=2.0'],
        ['scikit-learn', ['Scikit_Learn'], 'Scikit_Learn'],
        ['PyYAML', ['pyyaml'], 'pyyaml'],
        ['ruamel.yaml', ['ruamel-yaml'], 'ruamel-yaml'],
        ['a__b', ['a-.-b'], 'a-.-b'],
        ['pandas==1.0', ['pandas>=2'], 'pandas>=2'],
        ['pandas @ https://evil.test/pandas.whl', ['pandas'], 'pandas'],
        ['whatever==1', 'any', 'whatever==1'],
        ['what-ever[extra, more] >= 1, < 2', 'any', 'what-ever[extra, more] >= 1, < 2'],
      ],
      (wanted, installable, as) => {
        expect(installableAs(wanted, installable)).toBe(as)
      },
    ))
})

describe('what may not', () => {
  test('is any other package', ({ everyRow }) =>
    everyRow<[wanted: string, installable: InstallablePackages]>(
      [
        ['pandas', []],
        ['pandas', ['pandas-stubs', 'geopandas', 'pandas.core']],
        ['any', ['pandas']],
        ['git', ['git+https://example.test/pandas.git']],
        ['https', ['https://example.test/pandas.whl']],
        ['wheels', ['./wheels/pandas.whl', 'wheels/pandas.whl']],
        ['', ['./pandas.whl']],
        ['./pandas.whl', ['./pandas.whl']],
        ['--index-url=https://evil.test', ['pandas']],
        ['constructor', ['pandas']],
        ['./wheels', 'any'],
        ['/tmp/x', 'any'],
        ['C:\\x', 'any'],
        ['git+https://evil.test/x.git', 'any'],
        ['pandas @ https://evil.test/pandas.whl', 'any'],
        ['pandas==1 @ file:///tmp/x', 'any'],
        ['--index-url=https://evil.test', 'any'],
        ['', 'any'],
      ],
      (wanted, installable) => {
        expect(installableAs(wanted, installable)).toBeUndefined()
      },
    ))
})
