import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the files, the tests that ran, and the seconds of the pure tests and of the real ones. */
export class ProjectsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length === 0) return
    process.stdout.write(`${tableOf(modules)}\n`)
  }
}

/** Seconds of the workers, for loading, preparing and running all files. */
function tableOf(modules: readonly TestModule[]): string {
  const byProject = Map.groupBy(modules, ({ project }) => project.name)
  const lines = [...byProject].map(([name, ofProject]) => {
    const ran = ofProject.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.result().state !== 'skipped'),
    )
    const seconds = ofProject.reduce((sum, module) => sum + millisecondsOf(module), 0) / 1_000
    return [
      name || 'tests',
      counted(ofProject.length, 'file'),
      counted(ran.length, 'test'),
      `${seconds.toFixed(1)} s`,
    ]
  })
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const aligned = lines.map(([name = '', ...numbers]) =>
    [
      name.padEnd(widths[0] ?? 0),
      ...numbers.map((text, index) => text.padStart(widths[index + 1] ?? 0)),
    ].join('  '),
  )
  return ['', ' Seconds of the workers, by project:', ...aligned.map((line) => `  ${line}`)].join('\n')
}

function millisecondsOf(module: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    module.diagnostic()
  return collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
