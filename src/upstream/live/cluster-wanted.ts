import { CLUSTER_FEED } from '../../spec/engines/valkey.ts'

/** What followers listen to: topics that each of them names again from time to time. */
export function createWanted(monotonicMs: () => number) {
  const untilMs = new Map<string, number>()
  return {
    has: (name: string) => untilMs.has(name),
    names: () => [...untilMs.keys()],
    add: (names: readonly string[]): void => {
      for (const name of names)
        if (untilMs.has(name) || untilMs.size < CLUSTER_FEED.topicsMax)
          untilMs.set(name, monotonicMs() + CLUSTER_FEED.leadMs)
    },
    /** Forgets what was not named for a while; answers what that was. */
    expire: (): readonly string[] =>
      [...untilMs].flatMap(([name, until]) =>
        until <= monotonicMs() && untilMs.delete(name) ? [name] : [],
      ),
    clear: () => untilMs.clear(),
  }
}
