import type { Redis } from 'ioredis'
import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { guarded } from '../../core/loop/guarded.ts'
import type { ValkeyEndpoint } from '../../core/settings/engine-urls.ts'
import { replyErrorCode, toEngineAway } from './engine-errors.ts'
import { FEED_KEY, parseFeedLead } from './feed-bus.ts'
import { clientOptions } from './options.ts'

/** Checks the engine without changing it. Findings never contain a password. */
export async function checkValkey(
  place: ValkeyEndpoint,
  nowMs: () => number,
): Promise<readonly Finding[]> {
  const name = `Valkey at ${place.hosts.map(({ host, port }) => `${host}:${port}`).join(',')}`
  const { Redis } = await import('ioredis')
  const redis = new Redis({ ...clientOptions(place), retryStrategy: () => null })
  // Only the error event has the reason why a connection failed.
  let trouble: unknown = null
  const noted = guarded('valkey', (error: unknown) => {
    trouble ??= error
  })
  redis.on('error', noted)
  try {
    await redis.connect()
    return await inspectServer(redis, name, place, nowMs)
  } catch (error) {
    return [fail(`${name}: ${unreachableReason(trouble ?? error)}`, REMEDIES.unreachable)]
  } finally {
    redis.disconnect()
  }
}

const REMEDIES = {
  unreachable: 'Look at PREPD_VALKEY, its server and the rights of its user.',
  eviction: 'Set maxmemory-policy noeviction, or a volatile one: rate windows would be forgotten.',
  replica: 'Name the primary, or its sentinels.',
  cluster: 'Name one that is in no cluster: the keys of one script lie in several slots.',
  replicas:
    'Set min-replicas-to-write 1 and min-replicas-max-lag 10: one that was replaced would else go on confirming servers.',
  skew: 'Run chrony on both machines.',
} as const

function unreachableReason(error: unknown): string {
  const word = replyErrorCode(error)
  return word === '' ? `it is ${toEngineAway(error).fault}` : `it refuses us (${word})`
}

/** The instance that leads the venue's live data, the age of its lead, and the time since it was renewed. */
async function readFeedLead(redis: Redis): Promise<string> {
  const [held, leftMs, [seconds]] = await Promise.all([
    redis.get(FEED_KEY),
    redis.pttl(FEED_KEY),
    redis.time(),
  ])
  const lead = parseFeedLead(held)
  if (!lead) return 'no instance leads the live data, since nobody listens'
  const sinceSeconds = Math.max(0, Math.round(Number(seconds) - lead.sinceMs / 1000))
  const ageMs = Math.max(0, CLUSTER_FEED.leadMs - leftMs)
  return `${lead.instance} has led the live data for ${sinceSeconds} s, renewed ${ageMs} ms ago`
}

async function inspectServer(
  redis: Redis,
  name: string,
  { sentinelName }: ValkeyEndpoint,
  nowMs: () => number,
): Promise<Finding[]> {
  // Tries the commands that instances need, without side effects: a script, and a message to a channel without
  // subscribers.
  await redis.eval('return 1', 0)
  await redis.publish('prepd:topology', '')
  const [info, [seconds]] = await Promise.all([redis.info(), redis.time()])
  const skewMs = Math.round(Math.abs(Number(seconds) * 1000 - nowMs()))
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? ''
  const mayBeReplaced = sentinelName !== null || Number(field('connected_slaves')) > 0
  const rows: readonly (readonly [boolean, string, string])[] = [
    [field('role') === 'slave', 'is a replica', REMEDIES.replica],
    [field('cluster_enabled') === '1', 'is a node of a cluster', REMEDIES.cluster],
    [
      mayBeReplaced && field('min_slaves_good_slaves') === '',
      'takes writes without its replicas',
      REMEDIES.replicas,
    ],
    [
      field('maxmemory') !== '0' && field('maxmemory_policy').startsWith('allkeys'),
      `evicts by ${field('maxmemory_policy')}`,
      REMEDIES.eviction,
    ],
    // The engine reports whole seconds here, hence the extra second.
    [skewMs > LIMITS.engineSkewWarnMs + 1000, `has a clock ${skewMs} ms from ours`, REMEDIES.skew],
  ]
  const version = field('valkey_version') || field('redis_version')
  const wrongs = rows.filter(([isWrong]) => isWrong)
  return [
    ok(`${name} answers, ${version}`),
    ok(`${name}: ${await readFeedLead(redis)}`),
    ...wrongs.map(([, what, remedy]) => warn(`${name} ${what}`, remedy)),
  ]
}
