import { whileAway } from './away.ts'
import type { ValkeyEngine } from './engine.ts'
import type { PubSub } from './pub-sub.ts'
import { script } from './script.ts'

/** Which answers are valid: those kept under the epoch's name. A purge gives a new one, and the rest expires. */
export type Epoch = {
  /** Throws EngineAway where it is not known. */
  readonly name: () => string | Promise<string>
  /** Makes everything that is kept invalid, for every instance. Throws EngineAway. */
  readonly renew: () => Promise<void>
}

type EpochOptions = {
  readonly engine: Pick<ValkeyEngine, 'run' | 'onReturn'>
  readonly pubSub: Pick<PubSub, 'channel' | 'message' | 'subscribe'>
  readonly newName: () => string
  /** Another instance has purged, or may have while its message was lost. */
  readonly purged: () => void
}

const KEY = 'prepd:answers'

/** The existing name; this one if there is no name yet. */
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
  // Messages of the time without a connection are lost.
  engine.onReturn(() => void read().catch(whileAway))
  return {
    name: () => name ?? read(),
    renew: async () => {
      const next = newName()
      await engine.run(RENEW, [KEY], [next, pubSub.channel, pubSub.message('purged', next)])
      name = next
    },
  }
}
