import { mergeConfig } from 'vitest/config'
import { AttackTable } from './testing/attack-table.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'
import base from './vitest.config.ts'

// What hostile code, images, servers and answers of models try. `pnpm test` runs these tests as well; here they end
// with a table.
const attacks = mergeConfig(base, {})
attacks.test.include = ['packages/*/{src,test}/**/*.attack.test.ts']
attacks.test.reporters = ['default', new SkippedReporter(), new AttackTable()]

export default attacks
