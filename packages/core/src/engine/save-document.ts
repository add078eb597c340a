import type { BlockResult, OutputFile } from '../code-result.ts'
import { fileContent, lastingFileName, located, openWorkDirectory } from './block-files.ts'
import type { BlockReport } from './block-report.ts'
import type { EngineContext } from './engine-context.ts'
import type { SavePlan } from './plan-block.ts'

/** Writes a block that is a document into the working directory, as AutoGen does with HTML and CSS. */
export async function saveDocument(
  plan: SavePlan,
  report: BlockReport,
  place: EngineContext,
): Promise<BlockResult> {
  const workDirectory = await openWorkDirectory(place, report)
  const name = plan.fileName ?? lastingFileName(plan.language)
  const existed = (await workDirectory.list())?.has(name) ?? false
  const content = fileContent(plan.code, plan.language)
  const path = await workDirectory.write(name, content)
  const file: OutputFile = {
    ...located(name, workDirectory),
    sizeBytes: Buffer.byteLength(content),
    change: existed ? 'changed' : 'created',
  }
  report.say(`Code saved to ${path}`)
  return report.finish({ status: 'ok', exitCode: 0, file: name, files: [file] })
}
