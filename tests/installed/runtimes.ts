/** Commands of runtimes other than Node, as npm packages in the versions that ran last. */
export const bun = ['npx', '--yes', 'bun@1.4.5'] as const
export const deno = ['npx', '--yes', 'deno@2.9.6'] as const
