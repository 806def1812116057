import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type { DatabaseRegistry } from '../../core/engines/database.ts'
import {
  createEngineHealth,
  EngineAway,
  type EngineHealth,
  type EngineHealthRecorder,
} from '../../core/engines/health.ts'
import type { FeedBus } from '../../core/feed.ts'
import { defaultOnFailure, every } from '../../core/loop/guarded.ts'
import type { NoticeLeases } from '../../core/notice-leases.ts'
import type { Store, World } from '../../core/ports.ts'
import type { ValkeyEndpoint } from '../../core/settings/engine-urls.ts'
import type { LoadLeases } from '../../gateway/cache/load-lease.ts'
import type { WindowEngine } from '../limits/shared.ts'
import { createEngine, type ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import { createEpoch } from './epoch.ts'
import { valkeyFeedBus } from './feed-bus.ts'
import { valkeyLeases } from './load-leases.ts'
import { clientOptions } from './options.ts'
import { valkeyOutcomes } from './outcomes.ts'
import { createPubSub } from './pub-sub.ts'
import { databaseRegistry } from './registry.ts'
import { valkeyResponses } from './responses.ts'
import { ENGINE_CLOCK, script } from './script.ts'
import { pushScript, takeScript } from './window-scripts.ts'
import { valkeyWindows } from './windows.ts'

/** The state that instances share in one Valkey or Redis. The engine may be unreachable at any time, and may lose the state. */
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

type ValkeyWorld = Pick<World, 'clock' | 'random' | 'log' | 'monotonicMs'> & {
  /** The name of this instance, unique among all instances. */
  readonly instance: string
}

/** Reads how far the engine's clock, which rate windows use, is ahead of this machine's clock. */
async function readClock(
  { ask }: ValkeyEngine,
  { clock }: ValkeyWorld,
  { clockRead }: EngineHealthRecorder,
) {
  const [seconds, micros] = await ask((redis) => redis.time())
  clockRead(Number(seconds) * 1000 + Number(micros) / 1000 - clock.nowMs())
}

/** How often the connections for commands and for messages are checked when no caller uses them. */
const PING_EVERY_MS = 1000

const WINDOW_SCRIPTS = { take: takeScript(ENGINE_CLOCK), push: pushScript(ENGINE_CLOCK) }

/**
 * Connects to Valkey, which may be away at the start, and reconnects until `close`. Throws the system's error if a
 * certificate file cannot be read.
 */
export async function openValkey(place: ValkeyEndpoint, parts: ValkeyWorld): Promise<Valkey> {
  const { clock, random, monotonicMs, instance } = parts
  const { Redis } = await import('ioredis')
  const options = clientOptions(place)
  const health = createEngineHealth('valkey')
  const redis = new Redis(options)
  const engine = createEngine({ ...parts, redis, pulse: health, waitMaxMs: place.waitMaxMs })
  const isThere = new Promise<void>((resolve) => engine.onReturn(resolve))
  const pubSub = createPubSub(new Redis(options), place.database)
  const newName = () => Buffer.from(random.bytes(12)).toString('hex')
  const pause = (maxMs: number) => Bun.sleep((maxMs * (random.bytes(1)[0] ?? 0)) / 256)
  const listeners: (() => void)[] = []
  const purged = () => {
    for (const listener of listeners) listener()
  }
  const epoch = createEpoch({ engine, pubSub, newName, purged })
  const pinging = every('valkey', PING_EVERY_MS, () => {
    readClock(engine, parts, health).catch(skipIfAway)
    pubSub.ping()
  })
  // Waits a moment for the engine, so that it counts the first requests.
  await Promise.race([isThere, Bun.sleep(place.connectMaxMs)])
  return {
    windows: valkeyWindows(engine, WINDOW_SCRIPTS),
    responses: valkeyResponses({ engine, epoch, clock }),
    leases: valkeyLeases({ engine, pubSub, epoch, clock, monotonicMs, newName }),
    noticeLeases: valkeyNoticeLeases(engine, instance),
    registry: databaseRegistry({ engine, instance, newName, pause }),
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

/** ARGV: the instance and the length of a lease. */
const TAKE = script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Leases for sending the notices of a condition. No instance releases a lease early, because other instances check
 * readiness later and would send the notice again. While the engine is away every instance sends, because a duplicate
 * notice is better than a missing one.
 */
function valkeyNoticeLeases(engine: Pick<ValkeyEngine, 'run'>, instance: string): NoticeLeases {
  const noticeKey = (condition: string) => `prepd:notice:${condition}`
  return {
    take: async (condition) => {
      const args = [instance, VALKEY_LIMITS.noticeLeaseMs]
      const taken = await engine
        .run(TAKE, [noticeKey(condition)], args)
        .catch(defaultOnFailure('valkey', 1, EngineAway))
      return taken === 1
    },
  }
}
