import { expect, it } from 'vitest'
import { fakeExecutor } from '../engine/fake-driver.fixture.ts'
import { undoTool } from './undo-tool.ts'

it('is refused for an executor that keeps no variables', () => {
  const { executor } = fakeExecutor()
  expect(() => undoTool(executor)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { executor: 'fake', option: 'stateful' } }),
  )
})
