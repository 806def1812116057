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

/** ARGV is deployment, cluster, timeline and the three marks. Answers a refusal, or the marks and what is left. */
const EXCHANGE = script(`${ENGINE_CLOCK}
local known = redis.call('HMGET', KEYS[1], 'deployment', 'cluster', 'timeline', 'claims', 'vouchers', 'seen', 'from', 'signed')
local silent = now - (tonumber(known[6]) or 0)
local fromMs = tonumber(known[7]) or 0
if known[1] and known[1] ~= ARGV[1] then
  if silent < ${DEPLOYMENT_KEPT_MS} then return {'deployment'} end
  known = {}
elseif known[2] and known[2] ~= ARGV[2] then
  if silent < ${CONFIRMED_MS} then return {'cluster'} end
elseif known[3] and tonumber(known[3]) ~= tonumber(ARGV[3]) then
  if tonumber(known[3]) > tonumber(ARGV[3]) then return {'timeline'} end
  fromMs = now + math.max(0, ${CONFIRMED_MS} - silent)
end
local claims = math.max(tonumber(known[4] or 0), tonumber(ARGV[4]))
local vouchers = math.max(tonumber(known[5] or 0), tonumber(ARGV[5]))
local signed = math.max(tonumber(known[8] or 0), tonumber(ARGV[6]))
redis.call('HSET', KEYS[1], 'deployment', ARGV[1], 'cluster', ARGV[2], 'timeline', ARGV[3],
  'claims', string.format('%.0f', claims), 'vouchers', string.format('%.0f', vouchers),
  'signed', string.format('%.0f', signed), 'seen', now, 'from', fromMs)
return {'', claims, vouchers, signed, math.max(0, fromMs - now)}`)

/** The record of the state of PostgreSQL that instances share in Valkey. Throws EngineAway. */
function databaseRegistry({ run }: Pick<Engine, 'run'>): DatabaseRegistry {
  return {
    exchange: async ({ deployment, cluster, timeline, claims, vouchers, signedMs }) =>
      verdictOf(
        await run(
          EXCHANGE,
          [KEY],
          [deployment, cluster, timeline, claims, vouchers, signedMs].map(String),
        ),
      ),
  }
}

function verdictOf(reply: unknown): DatabaseVerdict {
  const [refused, ...figures] = Array.isArray(reply) ? reply.map(String) : []
  if (refused === 'deployment' || refused === 'cluster' || refused === 'timeline')
    return { refused }
  const [claims, vouchers, signedMs, predecessorLeftMs] = figures.map(Number)
  if (
    claims === undefined ||
    vouchers === undefined ||
    signedMs === undefined ||
    predecessorLeftMs === undefined
  )
    throw new EngineAway('refused')
  return { refused: null, marks: { claims, vouchers, signedMs }, predecessorLeftMs }
}
