import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Clock, Random } from '../core/ports.ts'
import { VALKEY_LIMITS } from '../spec/engines/valkey.ts'
import type { Engine } from './engine.ts'
import type { News } from './news.ts'
import { script } from './script.ts'

/** A write of which an outcome is kept; the bytes of its signature open it. */
type KeptWrite = {
  readonly identity: string
  readonly signature: Uint8Array
  readonly expiresAtMs: number
}

type Parts = {
  readonly engine: Pick<Engine, 'ask' | 'run' | 'isAway'>
  readonly news: Pick<News, 'channel' | 'message' | 'waitFor'>
  readonly clock: Clock
  readonly random: Random
}

const KEEP = script(`
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('PUBLISH', ARGV[1], ARGV[2])`)

/**
 * Outcomes of writes, sealed: only whoever has the signature of a request can open what is kept of it, and a dump of
 * the engine holds neither. One that cannot be opened is no bytes at all.
 */
export function valkeyOutcomes({ engine, news, clock, random }: Parts) {
  const told = (identity: string) => news.message('written', identity)

  function keep(write: KeptWrite, outcome: Uint8Array): void {
    const { identity, expiresAtMs } = write
    const lifeMs = Math.ceil(expiresAtMs - clock.nowMs())
    if (lifeMs <= 0 || outcome.byteLength > VALKEY_LIMITS.sharedMaxBytes) return
    const sealed = seal(write, outcome, random.bytes(IV_BYTES))
    const args = [news.channel, told(identity), sealed, lifeMs]
    engine.run(KEEP, [outcomeKey(identity)], args).catch(() => undefined)
  }

  async function read(write: KeptWrite): Promise<Uint8Array | null> {
    const sealed = await engine.ask((redis) => redis.getBuffer(outcomeKey(write.identity)))
    return sealed && open(write, sealed)
  }

  async function look(write: KeptWrite, maxMs: number): Promise<Uint8Array | null> {
    const waiting = news.waitFor('written', write.identity)
    try {
      const found = await read(write)
      if (found) return found
      return (await waiting.within(maxMs)) === null ? null : await read(write)
    } catch {
      return null
    } finally {
      waiting.stop()
    }
  }

  return {
    keep,
    release: (identity: string) => {
      engine.ask((redis) => redis.publish(news.channel, told(identity))).catch(() => undefined)
    },
    look,
    isAway: engine.isAway,
  }
}

function outcomeKey(identity: string): string {
  return `prepd:outcome:${identity}`
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** The initialization vector, the tag and the ciphertext (NIST SP 800-38D), bound to the identity. */
function seal({ identity, signature }: KeptWrite, plain: Uint8Array, iv: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, keyOf(signature), iv).setAAD(Buffer.from(identity))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text])
}

function open({ identity, signature }: KeptWrite, sealed: Buffer): Uint8Array {
  try {
    const [iv, rest] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES)]
    const decipher = createDecipheriv(CIPHER, keyOf(signature), iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(identity)).setAuthTag(rest.subarray(0, TAG_BYTES))
    return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()])
  } catch {
    return new Uint8Array()
  }
}

/** HKDF (RFC 5869) over the signature, which is 64 bytes that nobody can guess. */
function keyOf(signature: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', signature, new Uint8Array(), 'prepd outcome', 32))
}
