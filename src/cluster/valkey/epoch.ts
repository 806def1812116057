import type { ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import type { PubSub } from './pub-sub.ts'
import { script } from './script.ts'

/** The name under which cached answers are valid. A purge renews the name; answers under old names expire unused. */
export type Epoch = {
  /** The current name. Throws EngineAway if the name is unknown. */
  readonly name: () => string | Promise<string>
  /** Invalidates all cached answers of all instances. Throws EngineAway. */
  readonly renew: () => Promise<void>
}

type EpochOptions = {
  readonly engine: Pick<ValkeyEngine, 'run' | 'onReturn'>
  readonly pubSub: Pick<PubSub, 'channel' | 'message' | 'subscribe'>
  readonly newName: () => string
  /** Called when a different instance has purged, or may have purged while messages were lost. */
  readonly purged: () => void
}

const KEY = 'prepd:answers'

/** Returns the existing name, or sets the given one if there is no name yet. */
const NAME = script(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`)

const RENEW = script(`
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])`)

export function createEpoch({ engine, pubSub, newName, purged }: EpochOptions): Epoch {
  let name: string | null = null

  function adopt(next: string): void {
    if (name !== null && next !== name) purged()
    name = next
  }

  async function read(): Promise<string> {
    const next = String(await engine.run(NAME, [KEY], [newName()]))
    adopt(next)
    return next
  }

  pubSub.subscribe('purged', adopt)
  // A purge message may have been lost while the connection was down.
  engine.onReturn(() => void read().catch(skipIfAway))
  return {
    name: () => name ?? read(),
    renew: async () => {
      const next = newName()
      await engine.run(RENEW, [KEY], [next, pubSub.channel, pubSub.message('purged', next)])
      name = next
    },
  }
}
