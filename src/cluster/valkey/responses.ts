import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { Failure } from '../../core/failure.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Clock, KeptResponse, Listing, Store, StoredResponse } from '../../core/ports.ts'
import { whileAway } from './away.ts'
import type { ValkeyEngine } from './engine.ts'
import type { Epoch } from './epoch.ts'
import { ENGINE_CLOCK, script } from './script.ts'

type ValkeyResponsesOptions = {
  readonly engine: ValkeyEngine
  readonly epoch: Epoch
  readonly clock: Clock
}

/** Two times of at most sixteen digits, and a space after each. */
export const RESPONSE_HEAD_BYTES = 34

const GET = script(`${ENGINE_CLOCK}
return {redis.call('GET', KEYS[1]), now}`)

/** ARGV is the answer's age, the time of its fetch by the writer's clock, its life and its bytes. */
const PUT = script(`${ENGINE_CLOCK}
local head = string.format('%.0f %s ', now - ARGV[1], ARGV[2])
redis.call('SET', KEYS[1], head .. ARGV[4], 'PX', ARGV[3])`)

const SIZES = script(`${ENGINE_CLOCK}
local rows = {}
for i, key in ipairs(KEYS) do
  rows[i] = {redis.call('STRLEN', key), redis.call('GETRANGE', key, 0, ${RESPONSE_HEAD_BYTES - 1}), now}
end
return rows`)

/**
 * Kept answers that all instances have. While the engine is away, answers are neither found nor kept here: each
 * instance has its own in memory. Listing and clearing then throw Failure `store_unavailable`.
 */
export function valkeyResponses({
  engine,
  epoch,
  clock,
}: ValkeyResponsesOptions): Store['responses'] {
  const reading = new Map<string, Promise<StoredResponse | null>>()

  async function read(key: string): Promise<StoredResponse | null> {
    const place = answerKey(await epoch.name(), key)
    const reply = await engine.run(GET, [place], [])
    const [value, engineNowMs] = Array.isArray(reply) ? reply : []
    return readAnswer(value, engineNowMs, clock.nowMs())
  }

  /** Reads one answer once, however many callers ask for it at the same time. */
  function get(key: string): Promise<StoredResponse | null> {
    const known = reading.get(key)
    if (known) return known
    const answer = read(key)
      .catch(orElse('valkey', null, EngineAway))
      .finally(() => reading.delete(key))
    reading.set(key, answer)
    return answer
  }

  async function put(key: string, response: StoredResponse, expiresAtMs: number): Promise<void> {
    const nowMs = clock.nowMs()
    const lifeMs = Math.ceil(expiresAtMs - nowMs)
    if (lifeMs <= 0 || response.bytes.byteLength > VALKEY_LIMITS.sharedMaxBytes) return
    // A name that is known is at hand at once: the message that ends the load comes after this.
    const name = epoch.name()
    const place = answerKey(typeof name === 'string' ? name : await name, key)
    const { bytes, fetchedAtMs } = response
    const args = [nowMs - fetchedAtMs, fetchedAtMs, lifeMs, Buffer.from(bytes)]
    await engine.run(PUT, [place], args)
  }

  async function list(prefix: string, rowsMax: number): Promise<Listing<KeptResponse>> {
    const start = answerKey(await epoch.name(), '')
    const keys = await matching(engine, start + prefix)
    const rows: KeptResponse[] = []
    for (let at = 0; at < keys.length; at += LOOKED_AT) {
      const some = keys.slice(at, at + LOOKED_AT)
      rows.push(
        ...keptResponses(await engine.run(SIZES, some, []), some, start.length, clock.nowMs()),
      )
    }
    const newest = rows.toSorted((one, other) => other.fetchedAtMs - one.fetchedAtMs)
    return { count: rows.length, rows: newest.slice(0, rowsMax) }
  }

  return {
    get,
    put: (...of) => put(...of).catch(whileAway),
    clear: () => epoch.renew().catch(unavailable),
    list: (...of) => list(...of).catch(unavailable),
  }
}

/** Maximum keys per step, so that the engine is not held up. */
const LOOKED_AT = 500

function unavailable(cause: unknown): never {
  throw new Failure('store_unavailable', undefined, { cause })
}

/** The keys with this beginning, among the first `listedKeysMax` keys. */
async function matching({ ask }: ValkeyEngine, start: string): Promise<string[]> {
  const pattern = `${start.replace(/[\\*?[\]]/g, '\\$&')}*`
  const keys = new Set<string>()
  let cursor = '0'
  for (let looked = 0; looked < VALKEY_LIMITS.listedKeysMax; looked += LOOKED_AT) {
    const [next, some] = await ask((redis) =>
      redis.scan(cursor, 'MATCH', pattern, 'COUNT', LOOKED_AT),
    )
    for (const key of some) keys.add(key)
    cursor = next
    if (cursor === '0') break
  }
  return [...keys]
}

function keptResponses(
  reply: unknown,
  keys: readonly string[],
  cut: number,
  nowMs: number,
): KeptResponse[] {
  if (!Array.isArray(reply)) return []
  return reply.flatMap(([size, head, engineNowMs]: unknown[], at) => {
    const found = readAnswer(head, engineNowMs, nowMs)
    const key = keys[at]
    // The head is without most of the body: its own size is that of what precedes the body.
    if (!found || key === undefined || !Buffer.isBuffer(head)) return []
    const sizeBytes = Number(size) - (head.byteLength - found.bytes.byteLength)
    return [
      { key: key.slice(cut), sizeBytes, fetchedAtMs: found.fetchedAtMs - (found.aheadMs ?? 0) },
    ]
  })
}

/**
 * Reads a kept answer out of its bytes, which begin with the time of its fetch by the engine's clock and by the clock of
 * the instance that wrote it. `engineNowMs` and `nowMs` are the same moment by the engine's clock and by ours. Null for
 * other bytes.
 */
export function readAnswer(
  value: unknown,
  engineNowMs: unknown,
  nowMs: number,
): StoredResponse | null {
  if (!Buffer.isBuffer(value)) return null
  const head = /^(\d{1,16}) (\d{1,16}) /.exec(value.toString('latin1', 0, RESPONSE_HEAD_BYTES))
  if (!head) return null
  const fetchedAtMs = Number(head[2])
  const ageMs = Math.max(0, Number(engineNowMs) - Number(head[1]))
  const bytes = value.subarray(head[0].length)
  return { bytes, fetchedAtMs, aheadMs: fetchedAtMs + ageMs - nowMs }
}

/** The key of a kept answer. */
export function answerKey(epoch: string, key: string): string {
  return `prepd:answer:${epoch}:${key}`
}
