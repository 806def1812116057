import type { Redis } from 'ioredis'
import {
  createEngineWaits,
  EngineAway,
  type EngineHealthRecorder,
} from '../../core/engines/health.ts'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { outsideRequest } from '../../core/observing/request-context.ts'
import type { Log } from '../../core/ports.ts'
import { createBreaker } from './breaker.ts'
import { replyErrorCode, skipIfAway, toEngineAway } from './engine-errors.ts'
import type { Script } from './script.ts'

/** An argument of a script, in addition to its keys. */
type ScriptArgument = string | number | Buffer

/** A connection to the engine, which reconnects after each loss. Calls fail fast while it is away. */
export type ValkeyEngine = Pick<Availability, 'isAway' | 'onReturn'> & {
  /** Runs a command at most once. Throws EngineAway. */
  readonly ask: <Answer>(command: (redis: Redis) => Promise<Answer>) => Promise<Answer>
  /** Runs a script at most once. Strings are returned as Buffers. Throws EngineAway. */
  readonly run: (
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ) => Promise<unknown>
  readonly close: () => void
}

type ValkeyEngineOptions = {
  /** A client that is not connected yet. */
  readonly redis: Redis
  /** Maximum time that one request may wait for the engine, over all its calls. */
  readonly waitMaxMs: number
  readonly pulse: EngineHealthRecorder
  readonly monotonicMs: () => number
  readonly log: Log
}

export function createEngine({
  redis,
  waitMaxMs,
  pulse,
  monotonicMs,
  log,
}: ValkeyEngineOptions): ValkeyEngine {
  // The breaker's ping is not charged to the wait of the request that triggered it.
  const ping = () => attempt(() => redis.ping()).catch(skipIfAway)
  const breaker = createBreaker(ping)
  const waits = createEngineWaits(monotonicMs, waitMaxMs)
  const availability = createAvailability({ pulse, log })

  function failed(error: unknown, tookMs: number): EngineAway {
    const away = toEngineAway(error)
    if (away.fault === 'timeout') breaker.timedOut()
    availability.failed(away, tookMs)
    return away
  }

  async function ask<Answer>(command: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const leftMs = waits.leftMs()
    if (leftMs <= 0) throw new EngineAway('timeout')
    if (breaker.isOpen()) throw failed(new EngineAway('breaker'), 0)
    // The client's timeout is the maximum wait of a request. Only a request that has already waited needs a shorter
    // timeout.
    const bounded = () =>
      leftMs < waitMaxMs
        ? settledWithin('valkey', leftMs, command(redis), throwTimeout)
        : command(redis)
    return attempt(() => waits.counted(bounded))
  }

  async function attempt<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const startedMs = monotonicMs()
    try {
      const answer = await call()
      breaker.answered()
      availability.answered(monotonicMs() - startedMs)
      return answer
    } catch (error) {
      throw failed(error, monotonicMs() - startedMs)
    }
  }

  redis.on(
    'error',
    guarded('valkey', (error) => failed(error, 0)),
  )
  redis.on('ready', guarded('valkey', ping))
  // The error event reports the reason.
  redis.connect().catch(toEngineAway)
  return {
    ask,
    run: (script, keys, args) =>
      ask((client) => runScript(client, script, [keys.length, ...keys, ...args])),
    isAway: availability.isAway,
    onReturn: availability.onReturn,
    close: () => {
      breaker.close()
      redis.disconnect()
    },
  }
}

function throwTimeout(): never {
  throw new EngineAway('timeout')
}

async function runScript(
  redis: Redis,
  { sha, lua }: Script,
  args: ScriptArgument[],
): Promise<unknown> {
  try {
    return await redis.callBuffer('EVALSHA', [sha, ...args])
  } catch (error) {
    // The engine refused the script without running it. The engine does not know the script, or a restart has cleared
    // the engine's cache.
    if (replyErrorCode(error) !== 'NOSCRIPT') throw error
    return redis.callBuffer('EVAL', [lua, ...args])
  }
}

/** Whether the engine answered the last call. Logs each change once. */
type Availability = {
  readonly answered: (tookMs: number) => void
  readonly failed: (away: EngineAway, tookMs: number) => void
  /** Whether the engine did not answer the last call. */
  readonly isAway: () => boolean
  /** Calls back at the first answer, and at the first answer after each outage. */
  readonly onReturn: (listener: () => void) => void
}

function createAvailability({
  pulse,
  log,
}: Pick<ValkeyEngineOptions, 'pulse' | 'log'>): Availability {
  const listeners: (() => void)[] = []
  let isAway = true
  let isLogged = false

  function answered(tookMs: number): void {
    pulse.answered(tookMs)
    if (!isAway) return
    if (isLogged) log.info('engine_back', { engine: 'valkey' })
    isAway = false
    isLogged = false
    for (const listener of listeners) outsideRequest(listener)
  }

  function failed({ fault, word }: EngineAway, tookMs: number): void {
    pulse.failed(fault, tookMs)
    if (!isLogged) log.warn('engine_away', { engine: 'valkey', fault, ...(word && { said: word }) })
    isAway = true
    isLogged = true
  }

  return {
    answered,
    failed,
    isAway: () => isAway,
    onReturn: (listener) => void listeners.push(listener),
  }
}
