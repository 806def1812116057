import type { Redis } from 'ioredis'
import { createWaits, EngineAway, type EnginePulse } from '../../core/engines/health.ts'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { outsideRequest } from '../../core/observing/request-context.ts'
import type { Log } from '../../core/ports.ts'
import { replyWord, toEngineAway, whileAway } from './away.ts'
import { createBreaker } from './breaker.ts'
import type { Script } from './script.ts'

/** The arguments of a script besides its keys. */
type ScriptArgument = string | number | Buffer

/** One connection to the engine, made again whenever it is lost. It refuses an impossible request at once, or soon. */
export type ValkeyEngine = Pick<Availability, 'isAway' | 'onReturn'> & {
  /** Runs a command once, or not at all. Throws EngineAway. */
  readonly ask: <Answer>(command: (redis: Redis) => Promise<Answer>) => Promise<Answer>
  /** Runs a script once; its texts come back as bytes. Throws EngineAway. */
  readonly run: (
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ) => Promise<unknown>
  readonly close: () => void
}

type ValkeyEngineOptions = {
  /** Not connected yet. */
  readonly redis: Redis
  /** Maximum wait of one request for the engine, for all its questions together. */
  readonly waitMaxMs: number
  readonly pulse: EnginePulse
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
  // The ping runs apart from the caller that set it off, and does not count towards that caller's time.
  const ping = () => attempt(() => redis.ping()).catch(whileAway)
  const breaker = createBreaker(ping)
  const waits = createWaits(monotonicMs, waitMaxMs)
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
    // The client itself gives up after a whole wait: only a request that has waited before needs another clock.
    const bounded = () =>
      leftMs < waitMaxMs ? settledWithin('valkey', leftMs, command(redis), late) : command(redis)
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
  // The error event has the reason.
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

function late(): never {
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
    // The script has not run: the engine was started anew, or sees it for the first time.
    if (replyWord(error) !== 'NOSCRIPT') throw error
    return redis.callBuffer('EVAL', [lua, ...args])
  }
}

/** Whether the engine answered the last question; every change is logged once. */
type Availability = {
  readonly answered: (tookMs: number) => void
  readonly failed: (away: EngineAway, tookMs: number) => void
  /** Whether it did not answer last. */
  readonly isAway: () => boolean
  /** Calls back each time that it answers again, the first included. */
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
