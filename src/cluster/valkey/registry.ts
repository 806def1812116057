import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type {
  AheadClaim,
  DatabaseHistoryId,
  DatabaseRegistry,
  DatabaseState,
  DatabaseVerdict,
  PublishedShare,
} from '../../core/engines/database.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { branchText, registryExchange, type WitnessRecord } from '../../core/engines/witness.ts'
import type { ValkeyEngine } from './engine.ts'
import { ENGINE_CLOCK, script } from './script.ts'

/** The keys of the record of the newest history, and of the published claims, sorted by their timestamps. */
const KEY = 'prepd:database'
const AHEAD_KEY = 'prepd:ahead'

/** Sets `run` in a script: the id of the engine's process. */
const ENGINE_RUN = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''`

const READ = script(`${ENGINE_CLOCK}${ENGINE_RUN}
return {now, run, redis.call('HGETALL', KEYS[1])}`)

/**
 * ARGV: the engine's process, the record's version as it was read, and the new fields. Returns 0 if the process or the
 * version has changed.
 */
const WRITE = script(`${ENGINE_RUN}
if run ~= ARGV[1] or (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
return 1`)

/**
 * ARGV: witness, deployment, cluster, branch, maximum number of claims, divisor of the free places for one owner, then
 * timestamp and claim alternately. Returns 0 for a history that is not the newest of this witness, and -1 at a maximum.
 * Drops claims whose timestamps have passed, because the lease of the claims' history covers them. The set of all
 * claims gets no expiry, so that an eviction policy for volatile keys keeps the set.
 */
const PUBLISH = script(`${ENGINE_CLOCK}${ENGINE_RUN}
local held = redis.call('HMGET', KEYS[1], 'witness', 'deployment', 'cluster', 'branch')
if string.sub(ARGV[1], 1, #run + 1) ~= run .. ' ' then return 0 end
for at = 1, 4 do
  if held[at] ~= ARGV[at] then return 0 end
end
for at = 2, 3 do
  redis.call('ZREMRANGEBYSCORE', KEYS[at], '-inf', '(' .. now)
end
local all, own = redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[3])
if own >= (ARGV[5] - (all - own)) / ARGV[6] then return -1 end
for at = 2, 3 do
  redis.call('ZADD', KEYS[at], unpack(ARGV, 7))
end
redis.call('PERSIST', KEYS[2])
redis.call('PEXPIRE', KEYS[3], ${VALKEY_LIMITS.aheadKeptMs})
return 1`)

/** ARGV: the witness, and the timestamp after which claims are read. Returns 0 if the engine is no longer this witness. */
const PUBLISHED = script(`${ENGINE_RUN}
if string.sub(ARGV[1], 1, #run + 1) ~= run .. ' ' then return 0 end
if redis.call('HGET', KEYS[1], 'witness') ~= ARGV[1] then return 0 end
return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf', 'WITHSCORES')`)

type DatabaseRegistryOptions = {
  readonly engine: Pick<ValkeyEngine, 'run'>
  readonly instance: string
  /** A new unique name. */
  readonly newName: () => string
  /** Waits for a random time of at most `maxMs`, so that instances that collided do not collide again. */
  readonly pause: (maxMs: number) => Promise<void>
}

/**
 * The instances' shared record of PostgreSQL's state, in Valkey. Throws EngineAway, also if concurrent instances
 * changed the record at every attempt. Then the current lease continues, and the next check tries again.
 */
export function databaseRegistry({
  engine,
  instance,
  newName,
  pause,
}: DatabaseRegistryOptions): DatabaseRegistry {
  /** The registry's verdict; null if a concurrent instance changed the record first. */
  async function tryExchange(state: DatabaseState): Promise<DatabaseVerdict | null> {
    const { nowMs, run, fields } = await read(engine)
    const moment = { nowMs, run, newId: newName(), instance }
    const result = registryExchange(recordFrom(fields), state, moment)
    if ('refused' in result) return result
    const args = [
      run,
      fields.get('version') ?? '',
      'version',
      newName(),
      ...recordFields(result.record),
    ]
    return (await engine.run(WRITE, [KEY], args)) === 1 ? result.verdict : null
  }

  async function publish(
    history: DatabaseHistoryId & Pick<DatabaseState, 'witness'>,
    claims: readonly AheadClaim[],
    { owner, isReducing }: PublishedShare,
  ): Promise<boolean> {
    const { witness, deployment, cluster } = history
    const place = [witness, deployment, cluster, branchText(history)]
    const keys = [KEY, AHEAD_KEY, `${AHEAD_KEY}:${owner}`]
    const rows = claims.flatMap((claim) => [claim.sinceMs, aheadClaimText(claim)])
    const within = (bounds: readonly number[]) =>
      engine.run(PUBLISH, keys, [...place, ...bounds, ...rows])
    const { aheadMax, aheadOwnersMin } = VALKEY_LIMITS
    const answer = await within([aheadMax, aheadOwnersMin])
    if (answer !== -1 || !isReducing()) return answer === 1
    return (await within([UNBOUNDED, 1])) === 1
  }

  return {
    instance,
    exchange: async (state) => {
      for (let tries = 0; tries < VALKEY_LIMITS.exchangesMax; tries += 1) {
        const verdict = await tryExchange(state)
        if (verdict) return verdict
        await pause(2 ** tries)
      }
      throw new EngineAway('refused')
    },
    publish,
    published: async (witness, sinceMs) => {
      const reply = await engine.run(PUBLISHED, [KEY, AHEAD_KEY], [witness, sinceMs])
      if (!Array.isArray(reply)) throw new EngineAway('refused')
      const rows = reply.map(String)
      return rows.flatMap((text, at) => (at % 2 === 0 ? parseAheadClaims(text, rows[at + 1]) : []))
    },
  }
}

/** A maximum that is never reached. */
const UNBOUNDED = 1e15

type Fields = ReadonlyMap<string, string>

async function read({ run: ask }: Pick<ValkeyEngine, 'run'>) {
  const reply = await ask(READ, [KEY], [])
  const [nowMs, run, flat] = Array.isArray(reply) ? reply : []
  if (typeof nowMs !== 'number' || !Array.isArray(flat)) throw new EngineAway('refused')
  const fields = new Map<string, string>()
  for (let at = 0; at < flat.length; at += 2) fields.set(String(flat[at]), String(flat[at + 1]))
  return { nowMs, run: String(run), fields }
}

function recordFrom(fields: Fields): WitnessRecord | null {
  if (fields.size === 0) return null
  const text = (name: string) => fields.get(name) ?? ''
  const number = (name: string) => Number(text(name)) || 0
  const isSet = (name: string) => text(name) === '1'
  return {
    ...{ deployment: text('deployment'), cluster: text('cluster'), branch: text('branch') },
    ...{ timeline: number('timeline'), isAdmitted: isSet('admitted'), seenMs: number('seen') },
    ...{ claims: number('claims'), vouchers: number('vouchers'), signedMs: number('signed') },
    ...{ witness: text('witness'), isSound: isSet('sound'), isUsed: isSet('used') },
    ...{ isSynced: isSet('synced'), leaseEndMs: number('lease'), lostUntilMs: number('lost') },
    ...{ opensAtMs: number('opens'), members: text('members').split(' ').filter(Boolean) },
  }
}

/** The fields of a record, names and values alternately. */
function recordFields(record: WitnessRecord): string[] {
  const fields: Readonly<Record<string, string | number | boolean>> = {
    ...{ deployment: record.deployment, cluster: record.cluster, branch: record.branch },
    ...{ timeline: record.timeline, admitted: record.isAdmitted, seen: record.seenMs },
    ...{ claims: record.claims, vouchers: record.vouchers, signed: record.signedMs },
    ...{ witness: record.witness, sound: record.isSound, used: record.isUsed },
    ...{ synced: record.isSynced, lease: record.leaseEndMs, lost: record.lostUntilMs },
    ...{ opens: record.opensAtMs, members: record.members.join(' ') },
  }
  return Object.entries(fields).flatMap(([name, value]) => [
    name,
    String(typeof value === 'boolean' ? Number(value) : value),
  ])
}

function aheadClaimText({ identity, expiresAtMs, isSigned }: AheadClaim): string {
  return `${Number(isSigned)} ${expiresAtMs} ${identity}`
}

function parseAheadClaims(text: string, score = ''): AheadClaim[] {
  const [, signed, expires, identity = ''] = /^([01]) (\d+) (.+)$/s.exec(text) ?? []
  if (signed === undefined) return []
  const claim = { identity, sinceMs: Number(score), expiresAtMs: Number(expires) }
  return [{ ...claim, isSigned: signed === '1' }]
}
