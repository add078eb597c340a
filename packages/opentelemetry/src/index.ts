export { type ObservedPool, type ObservePoolOptions, observePool } from './observe-pool.ts'
export { type TraceFencedOptions, traceFenced } from './trace-fenced.ts'
