/** Waits until the engine has asked the driver for a step. */
export async function reached(steps: readonly string[], step: string): Promise<void> {
  while (!steps.includes(step)) await new Promise(setImmediate)
}
