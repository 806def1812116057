/** The parts of this process that own timers, callbacks and detached work: an unexpected error is counted under one. */
// biome-ignore format: read as a list
export const PARTS = [
  'cache', 'client', 'gateway', 'http', 'mcp', 'process', 'store', 'stream', 'upstream', 'valkey', 'venue',
] as const

export type Part = (typeof PARTS)[number]
