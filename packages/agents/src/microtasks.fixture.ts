/** Waits for everything that happens without an event: promises that settle, and the reactions to them. */
export async function microtasks(): Promise<void> {
  for (let count = 0; count < 1_000; count++) await undefined
}
