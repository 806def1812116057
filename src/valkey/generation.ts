import type { Engine } from './engine.ts'
import type { News } from './news.ts'
import { script } from './script.ts'

/** Which answers are valid: those kept under the present name. A purge gives a new one, and the rest expires. */
export type Generation = {
  /** Throws EngineAway where it is not known. */
  readonly name: () => string | Promise<string>
  /** Makes everything that is kept invalid, for every instance. Throws EngineAway. */
  readonly renew: () => Promise<void>
}

type Parts = {
  readonly engine: Pick<Engine, 'run' | 'onReturn'>
  readonly news: Pick<News, 'channel' | 'message' | 'hear'>
  readonly newName: () => string
  /** Another instance has purged, or may have while nothing was heard of it. */
  readonly purged: () => void
}

const KEY = 'prepd:answers'

/** The name there is, or this one where there is none. */
const NAME = script(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`)

const RENEW = script(`
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])`)

export function createGeneration({ engine, news, newName, purged }: Parts): Generation {
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

  news.hear('purged', adopt)
  // What was told meanwhile was told to nobody.
  engine.onReturn(() => void read().catch(() => undefined))
  return {
    name: () => name ?? read(),
    renew: async () => {
      const next = newName()
      await engine.run(RENEW, [KEY], [next, news.channel, news.message('purged', next)])
      name = next
    },
  }
}
