import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { Clock, KeptResponse, Listing, Store, StoredResponse } from '../../core/ports.ts'
import type { ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import type { Epoch } from './epoch.ts'
import { ENGINE_CLOCK, script } from './script.ts'

type ValkeyResponsesOptions = {
  readonly engine: ValkeyEngine
  readonly epoch: Epoch
  readonly clock: Clock
}

/** Size of the head of a stored answer: two times of at most sixteen digits, each followed by a space. */
export const RESPONSE_HEAD_BYTES = 34

const GET = script(`${ENGINE_CLOCK}
return {redis.call('GET', KEYS[1]), now}`)

/** ARGV: the answer's age, the time of its fetch by the writer's clock, its lifetime, and its bytes. */
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
 * Cached answers shared by all instances. While the engine is away, reads find nothing and writes are skipped, so each
 * instance uses only its memory. Listing and clearing throw Failure `store_unavailable`.
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

  /** Reads an answer. Concurrent calls for the same key share one read. */
  function get(key: string): Promise<StoredResponse | null> {
    const known = reading.get(key)
    if (known) return known
    const answer = read(key)
      .catch(defaultOnFailure('valkey', null, EngineAway))
      .finally(() => reading.delete(key))
    reading.set(key, answer)
    return answer
  }

  async function put(key: string, response: StoredResponse, expiresAtMs: number): Promise<void> {
    const nowMs = clock.nowMs()
    const lifeMs = Math.ceil(expiresAtMs - nowMs)
    if (lifeMs <= 0 || response.bytes.byteLength > VALKEY_LIMITS.sharedMaxBytes) return
    // Avoids `await` for a known name, so that the answer is sent before the message that ends the load.
    const name = epoch.name()
    const place = answerKey(typeof name === 'string' ? name : await name, key)
    const { bytes, fetchedAtMs } = response
    const args = [nowMs - fetchedAtMs, fetchedAtMs, lifeMs, Buffer.from(bytes)]
    await engine.run(PUT, [place], args)
  }

  async function list(prefix: string, rowsMax: number): Promise<Listing<KeptResponse>> {
    const start = answerKey(await epoch.name(), '')
    const keys = await scanKeys(engine, start + prefix)
    const rows: KeptResponse[] = []
    for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
      const some = keys.slice(at, at + KEYS_PER_CALL)
      rows.push(
        ...keptResponses(await engine.run(SIZES, some, []), some, start.length, clock.nowMs()),
      )
    }
    const newest = rows.toSorted((one, other) => other.fetchedAtMs - one.fetchedAtMs)
    return { count: rows.length, rows: newest.slice(0, rowsMax) }
  }

  return {
    get,
    put: (...of) => put(...of).catch(skipIfAway),
    clear: () => epoch.renew().catch(unavailable),
    list: (...of) => list(...of).catch(unavailable),
  }
}

/** Maximum keys per call, so that a call does not block the engine for long. */
const KEYS_PER_CALL = 500

function unavailable(cause: unknown): never {
  throw new Failure('store_unavailable', undefined, { cause })
}

/** The keys with a prefix, among the first `listedKeysMax` keys that the engine scans. */
async function scanKeys({ ask }: ValkeyEngine, start: string): Promise<string[]> {
  const pattern = `${start.replace(/[\\*?[\]]/g, '\\$&')}*`
  const keys = new Set<string>()
  let cursor = '0'
  for (let looked = 0; looked < VALKEY_LIMITS.listedKeysMax; looked += KEYS_PER_CALL) {
    const [next, some] = await ask((redis) =>
      redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL),
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
    // `head` may contain the first bytes of the body, which are not subtracted from the size.
    if (!found || key === undefined || !Buffer.isBuffer(head)) return []
    const sizeBytes = Number(size) - (head.byteLength - found.bytes.byteLength)
    return [
      { key: key.slice(cut), sizeBytes, fetchedAtMs: found.fetchedAtMs - (found.aheadMs ?? 0) },
    ]
  })
}

/**
 * Parses a cached answer. Its bytes begin with the time of its fetch, by the engine's clock and by the writer's clock.
 * `engineNowMs` and `nowMs` are the current time by the engine's clock and by this machine's. Null for other values.
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

/** The key of a cached answer. */
export function answerKey(epoch: string, key: string): string {
  return `prepd:answer:${epoch}:${key}`
}
