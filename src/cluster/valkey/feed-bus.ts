import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { FeedBus } from '../../core/feed.ts'
import type { ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import type { PubSub } from './pub-sub.ts'
import { ENGINE_CLOCK, script } from './script.ts'

export const FEED_KEY = 'prepd:feed'

/**
 * ARGV: an instance's name and the length of its lead. Returns the lead's term, or 0 while a different instance leads.
 * A later lead has a higher term.
 */
const TAKE_LEAD = script(`${ENGINE_CLOCK}
local held = redis.call('GET', KEYS[1])
if held then
  local name, term = string.match(held, '^(%S+) (%d+)$')
  if name ~= ARGV[1] then return 0 end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return tonumber(term)
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. string.format('%.0f', now), 'PX', ARGV[2])
return now`)

const END_LEAD = script(`
local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%S+') == ARGV[1] then redis.call('DEL', KEYS[1]) end`)

/**
 * Parses the value of FEED_KEY: the leading instance, and since when it leads by the engine's clock. Null without a
 * leader.
 */
export function parseFeedLead(held: string | null): { instance: string; sinceMs: number } | null {
  const [name = '', term] = (held ?? '').split(' ')
  const [instance = ''] = name.split('/')
  return instance === '' ? null : { instance, sinceMs: Number(term) }
}

type FeedBusOptions = {
  readonly engine: Pick<ValkeyEngine, 'run' | 'ask'>
  readonly pubSub: Pick<PubSub, 'listen' | 'channelOf'>
  /** A name that is unique per process: the instance, a slash and a suffix, without spaces. */
  readonly name: string
}

/** The right to lead the venue's live data, and the messages between the leader and its followers. */
export function valkeyFeedBus({ engine, pubSub, name }: FeedBusOptions): FeedBus {
  return {
    lead: async () => {
      const term = await engine.run(TAKE_LEAD, [FEED_KEY], [name, CLUSTER_FEED.leadMs])
      if (typeof term !== 'number') throw new EngineAway('refused')
      return term === 0 ? null : term
    },
    leader: async () =>
      parseFeedLead(await engine.ask((redis) => redis.get(FEED_KEY)))?.instance ?? null,
    resign: () => void engine.run(END_LEAD, [FEED_KEY], [name]).catch(skipIfAway),
    send: async (channel, text) => {
      await engine.ask((redis) => redis.publish(pubSub.channelOf(channel), text))
    },
    listen: pubSub.listen,
  }
}
