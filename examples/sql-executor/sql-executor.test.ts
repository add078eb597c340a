import { describeExecutor } from '@fenced/contract'
import { describe, it } from 'vitest'
import { sqlExecutor } from './sql-executor.ts'

describeExecutor(
  { describe, it },
  {
    name: 'sql',
    create: ({ workDir: _, ...options }) => sqlExecutor(options),
    except: {
      '# filename: ../evil.py':
        'this executor has no files, so a file name means nothing',
    },
    programs: {
      sql: {
        print: (text) => `SELECT '${text}';`,
        fail: (message) => `SELECT * FROM "${message}";`,
        flood:
          'WITH RECURSIVE lines(line) AS ' +
          '(SELECT 1 UNION ALL SELECT line + 1 FROM lines) ' +
          'SELECT hex(zeroblob(5000)) FROM lines;',
        setVariable: (name) => `CREATE TABLE ${name} (value);`,
        printIsSet: (name) =>
          `SELECT iif(count(*) = 0, 'no', 'yes') FROM sqlite_master ` +
          `WHERE name = '${name}';`,
      },
    },
  },
)
