/** How often a property is tried: so many times for a commit, and `TEST_RUNS` times as often in `npm run soak`. */
export function runs(count: number): number {
  return count * Number(process.env['TEST_RUNS'] ?? 1)
}
