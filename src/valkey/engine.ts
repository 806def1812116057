import type { Redis } from 'ioredis'
import type { EnginePulse } from '../core/engines/health.ts'
import type { Log } from '../core/ports.ts'
import { awayOf, EngineAway, replyWord } from './away.ts'
import { createBreaker } from './breaker.ts'
import type { Script } from './script.ts'
import { createWaits } from './waits.ts'

/** What a script is given beside its keys. */
export type ScriptArgument = string | number | Buffer

/** One connection to the engine, made again whenever it is lost. What it cannot do it refuses at once, or soon. */
export type Engine = {
  /** Runs a command once, or not at all. Throws EngineAway. */
  readonly ask: <Answer>(command: (redis: Redis) => Promise<Answer>) => Promise<Answer>
  /** Runs a script once; its texts come back as bytes. Throws EngineAway. */
  readonly run: (
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ) => Promise<unknown>
  /** Whether it did not answer last. */
  readonly isAway: () => boolean
  /** Hears of each time that it is there, the first included. */
  readonly onReturn: (hear: () => void) => void
  readonly close: () => void
}

type Parts = {
  /** Not connected yet. */
  readonly redis: Redis
  readonly pulse: EnginePulse
  readonly monotonicMs: () => number
  readonly log: Log
}

export function createEngine({ redis, pulse, monotonicMs, log }: Parts): Engine {
  const breaker = createBreaker(monotonicMs)
  const waits = createWaits(monotonicMs)
  const listeners: (() => void)[] = []
  let isAway = true
  let isTold = false

  function answered(tookMs: number): void {
    breaker.answered()
    pulse.answered(tookMs)
    if (!isAway) return
    if (isTold) log.info('engine_back', { engine: 'valkey' })
    isAway = false
    isTold = false
    for (const hear of listeners) hear()
  }

  function failed(error: unknown, tookMs: number): EngineAway {
    const away = awayOf(error)
    const { fault, word } = away
    if (fault === 'timeout') breaker.timedOut()
    pulse.failed(fault, tookMs)
    if (!isTold) log.warn('engine_away', { engine: 'valkey', fault, ...(word && { said: word }) })
    isAway = true
    isTold = true
    return away
  }

  async function ask<Answer>(command: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    if (waits.isSpent()) throw new EngineAway('timeout')
    if (!breaker.mayAsk()) throw failed(new EngineAway('breaker'), 0)
    const startedMs = monotonicMs()
    try {
      const answer = await waits.within(command(redis))
      answered(monotonicMs() - startedMs)
      return answer
    } catch (error) {
      throw failed(error, monotonicMs() - startedMs)
    }
  }

  redis.on('error', (error) => void failed(error, 0))
  redis.on('ready', () => void ask((client) => client.ping()).catch(() => undefined))
  // Why is told above.
  redis.connect().catch(() => undefined)
  return {
    ask,
    run: (script, keys, args) =>
      ask((client) => runScript(client, script, [keys.length, ...keys, ...args])),
    isAway: () => isAway,
    onReturn: (hear) => void listeners.push(hear),
    close: () => redis.disconnect(),
  }
}

async function runScript(
  redis: Redis,
  { sha, lua }: Script,
  args: ScriptArgument[],
): Promise<unknown> {
  try {
    return await redis.callBuffer('EVALSHA', [sha, ...args])
  } catch (error) {
    // Nothing has run: the engine was started anew, or has never seen it.
    if (replyWord(error) !== 'NOSCRIPT') throw error
    return redis.callBuffer('EVAL', [lua, ...args])
  }
}
