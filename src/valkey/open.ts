import type { LoadLeases } from '../cache/load-lease.ts'
import {
  CONFIRMED_MS,
  createPulse,
  type DatabaseRegistry,
  type DatabaseVerdict,
  DEPLOYMENT_KEPT_MS,
  EngineAway,
  type EngineHealth,
  type EnginePulse,
} from '../core/engines/health.ts'
import type { FeedBus } from '../core/feed.ts'
import { every } from '../core/loop/guarded.ts'
import type { NoticeLeases } from '../core/notice-leases.ts'
import type { Store, World } from '../core/ports.ts'
import type { WindowEngine } from '../limits/shared.ts'
import type { ValkeyPlace } from '../settings/engine-urls.ts'
import { whileAway } from './away.ts'
import { createEngine, type Engine } from './engine.ts'
import { createEpoch } from './epoch.ts'
import { valkeyFeedBus } from './feed-bus.ts'
import { valkeyLeases } from './leases.ts'
import { valkeyNoticeLeases } from './notice-leases.ts'
import { clientOptions } from './options.ts'
import { valkeyOutcomes } from './outcomes.ts'
import { createPubSub } from './pub-sub.ts'
import { valkeyResponses } from './responses.ts'
import { ENGINE_CLOCK, script } from './script.ts'
import { valkeyWindows } from './windows.ts'

/** The state that instances share in one Valkey or Redis. It may be unreachable at any time, and may be lost. */
export type Valkey = {
  readonly windows: WindowEngine
  readonly responses: Store['responses']
  readonly leases: LoadLeases
  readonly noticeLeases: NoticeLeases
  readonly outcomes: ReturnType<typeof valkeyOutcomes>
  readonly registry: DatabaseRegistry
  readonly feedBus: FeedBus
  /** Calls back when another instance has purged the answers. */
  readonly onPurge: (listener: () => void) => void
  readonly health: EngineHealth
  readonly monotonicMs: () => number
  readonly close: () => void
}

type Parts = Pick<World, 'clock' | 'random' | 'log' | 'monotonicMs'> & {
  /** What this instance is called among the others. */
  readonly instance: string
}

/** How far the engine's clock is ahead, which its windows go by. */
async function readClock({ ask }: Engine, { clock }: Parts, { clockRead }: EnginePulse) {
  const [seconds, micros] = await ask((redis) => redis.time())
  clockRead(Number(seconds) * 1000 + Number(micros) / 1000 - clock.nowMs())
}

/** How often both connections are asked whether they still live, where nobody else asks them anything. */
const PING_EVERY_MS = 1000

/**
 * Connects, and goes on trying for as long as it is not closed: an engine that is away at the start may come back. Throws what reading a file of certificates throws.
 */
export async function openValkey(place: ValkeyPlace, parts: Parts): Promise<Valkey> {
  const { clock, random, monotonicMs, instance } = parts
  const { Redis } = await import('ioredis')
  const options = clientOptions(place)
  const health = createPulse('valkey')
  const redis = new Redis(options)
  const engine = createEngine({ ...parts, redis, pulse: health, waitMaxMs: place.waitMaxMs })
  const isThere = new Promise<void>((resolve) => engine.onReturn(resolve))
  const pubSub = createPubSub(new Redis(options), place.database)
  const newName = () => Buffer.from(random.bytes(12)).toString('hex')
  const listeners: (() => void)[] = []
  const purged = () => {
    for (const listener of listeners) listener()
  }
  const epoch = createEpoch({ engine, pubSub, newName, purged })
  const pinging = every('valkey', PING_EVERY_MS, () => {
    readClock(engine, parts, health).catch(whileAway)
    pubSub.ping()
  })
  // The first requests are to be counted where all are, if it can be had.
  await Promise.race([isThere, Bun.sleep(place.connectMaxMs)])
  return {
    windows: valkeyWindows(engine),
    responses: valkeyResponses({ engine, epoch, clock }),
    leases: valkeyLeases({ engine, pubSub, epoch, clock, monotonicMs, newName }),
    noticeLeases: valkeyNoticeLeases(engine, instance),
    registry: databaseRegistry(engine),
    feedBus: valkeyFeedBus({ engine, pubSub, name: `${instance}/${newName()}` }),
    outcomes: valkeyOutcomes({ engine, pubSub, clock, random }),
    onPurge: (listener) => void listeners.push(listener),
    health,
    monotonicMs,
    close: () => {
      clearInterval(pinging)
      engine.close()
      pubSub.close()
    },
  }
}

const KEY = 'prepd:database'

/**
 * ARGV is deployment, cluster, timeline, branch, the three marks, and whether the instance was admitted and the database goes on
 * with its history. Answers a refusal, or the marks, what is left, and whether the deployment was known. A database that goes on
 * where it was left for another lacks what that one got, whatever its numbers: one claim more is asked of it, so that it notices.
 */
const EXCHANGE = script(`${ENGINE_CLOCK}
local known = redis.call('HMGET', KEYS[1], 'deployment', 'cluster', 'timeline', 'claims', 'vouchers', 'seen', 'from', 'signed', 'branch', 'admitted')
local silent = now - (tonumber(known[6]) or 0)
local fromMs = tonumber(known[7]) or 0
-- An earlier prepd registers no branch, and only once it was admitted.
local isKnown = known[1] == ARGV[1] and (known[10] == '1' or not known[9]) and 1 or 0
local isOther = false
local branch = ARGV[3] .. ' ' .. ARGV[4]
if known[1] and known[1] ~= ARGV[1] then
  if silent < ${DEPLOYMENT_KEPT_MS} then return {'deployment'} end
  known = {}
elseif known[2] and known[2] ~= ARGV[2] then
  if silent < ${CONFIRMED_MS} then return {'cluster'} end
  isOther = true
elseif known[3] and tonumber(known[3]) ~= tonumber(ARGV[3]) then
  if tonumber(known[3]) > tonumber(ARGV[3]) then return {'timeline'} end
  fromMs = now + math.max(0, ${CONFIRMED_MS} - silent)
elseif known[9] and known[9] ~= branch and string.sub(known[9], 1, #known[3] + 1) == known[3] .. ' ' then
  if silent < ${CONFIRMED_MS} then return {'branch'} end
  isOther = true
end
local admitted = (isKnown == 1 or ARGV[8] == '1') and '1' or '0'
local claims = math.max(tonumber(known[4] or 0), tonumber(ARGV[5]))
if isOther and ARGV[9] == '1' then claims = claims + 1 end
local vouchers = math.max(tonumber(known[5] or 0), tonumber(ARGV[6]))
local signed = math.max(tonumber(known[8] or 0), tonumber(ARGV[7]))
redis.call('HSET', KEYS[1], 'deployment', ARGV[1], 'cluster', ARGV[2], 'timeline', ARGV[3], 'branch', branch, 'admitted', admitted,
  'claims', string.format('%.0f', claims), 'vouchers', string.format('%.0f', vouchers),
  'signed', string.format('%.0f', signed), 'seen', now, 'from', fromMs)
return {'', claims, vouchers, signed, math.max(0, fromMs - now), isKnown}`)

/** The record of the state of PostgreSQL that instances share in Valkey. Throws EngineAway. */
function databaseRegistry({ run }: Pick<Engine, 'run'>): DatabaseRegistry {
  return {
    exchange: async ({ deployment, cluster, timeline, branch, ...state }) => {
      const { claims, vouchers, signedMs, isAdmitted, isContinued } = state
      const marks = [claims, vouchers, signedMs, Number(isAdmitted), Number(isContinued)]
      const args = [deployment, cluster, timeline, branch, ...marks].map(String)
      return verdictOf(await run(EXCHANGE, [KEY], args))
    },
  }
}

const REFUSALS = ['deployment', 'cluster', 'timeline', 'branch'] as const

function verdictOf(reply: unknown): DatabaseVerdict {
  const [refused, ...figures] = Array.isArray(reply) ? reply.map(String) : []
  const reason = REFUSALS.find((each) => each === refused)
  if (reason) return { refused: reason }
  const [claims, vouchers, signedMs, predecessorLeftMs, isKnown] = figures.map(Number)
  if (
    claims === undefined ||
    vouchers === undefined ||
    signedMs === undefined ||
    predecessorLeftMs === undefined
  )
    throw new EngineAway('refused')
  const marks = { claims, vouchers, signedMs }
  return { refused: null, isKnown: isKnown === 1, marks, predecessorLeftMs }
}
