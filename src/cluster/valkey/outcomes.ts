import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { StoredWrite } from '../../core/claim.ts'
import { decryptBytes, deriveKey, encryptBytes, IV_BYTES } from '../../core/crypto/aes-gcm.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import type { MessageKind, PubSub } from './pub-sub.ts'
import { script } from './script.ts'

type OutcomesOptions = {
  readonly engine: Pick<ValkeyEngine, 'ask' | 'run' | 'isAway' | 'onReturn'>
  readonly pubSub: Pick<PubSub, 'channel' | 'message' | 'waitFor' | 'subscribe'>
  readonly clock: Clock
  readonly random: Random
}

const KEEP = script(`
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('PUBLISH', ARGV[1], ARGV[2])`)

type Encrypted = { readonly encrypted: Buffer; readonly expiresAtMs: number }

/**
 * Outcomes of writes, encrypted. Reading an outcome needs the signature of its request. A dump of the engine holds
 * neither the outcome nor the signature. An outcome that cannot be decrypted is read as zero bytes. When the engine
 * comes back, this instance sends the outcomes that the engine may have missed or lost.
 */
export function valkeyOutcomes({ engine, pubSub, clock, random }: OutcomesOptions) {
  const own = createBoundedMap<string, Encrypted>(VALKEY_LIMITS.ownOutcomesMaxBytes)

  const publish = (kind: MessageKind, identity: string) =>
    engine.ask((redis) => redis.publish(pubSub.channel, pubSub.message(kind, identity)))

  function keep(write: StoredWrite, outcome: Uint8Array): void {
    const { identity, expiresAtMs } = write
    if (outcome.byteLength > VALKEY_LIMITS.sharedMaxBytes) return
    const encrypted = encrypt(write, outcome, random.bytes(IV_BYTES))
    own.put(identity, { encrypted, expiresAtMs }, encrypted.byteLength)
    push(identity, { encrypted, expiresAtMs }).catch(skipIfAway)
  }

  async function push(identity: string, { encrypted, expiresAtMs }: Encrypted): Promise<void> {
    const lifeMs = Math.ceil(expiresAtMs - clock.nowMs())
    if (lifeMs <= 0) return own.drop(identity)
    const args = [pubSub.channel, pubSub.message('written', identity), encrypted, lifeMs]
    await engine.run(KEEP, [outcomeKey(identity)], args)
  }

  async function pushAll(): Promise<void> {
    for (const [identity, outcome] of [...own.entries()]) await push(identity, outcome)
  }

  async function look(write: StoredWrite, maxMs: number): Promise<Uint8Array | 'sending' | null> {
    const { identity } = write
    const written = pubSub.waitFor('written', identity)
    const sending = pubSub.waitFor('sending', identity)
    try {
      const found = await read(engine, write)
      if (found) return found
      const sender = sending.within(maxMs)
      await publish('asked', identity)
      if ((await written.within(maxMs)) !== null) return await read(engine, write)
      return (await sender) === null ? null : 'sending'
    } catch (error) {
      reportUnexpected('valkey', error, EngineAway)
      return null
    } finally {
      written.stop()
      sending.stop()
    }
  }

  // If the engine goes away again during this push, the engine's next return repeats the push.
  engine.onReturn(() => void pushAll().catch(skipIfAway))
  return {
    keep,
    release: (identity: string) => void publish('written', identity).catch(skipIfAway),
    look,
    answerWith: (isSending: (identity: string) => boolean) =>
      pubSub.subscribe('asked', (identity) => {
        if (isSending(identity)) publish('sending', identity).catch(skipIfAway)
      }),
    isAway: engine.isAway,
  }
}

async function read(
  { ask }: Pick<ValkeyEngine, 'ask'>,
  write: StoredWrite,
): Promise<Uint8Array | null> {
  const encrypted = await ask((redis) => redis.getBuffer(outcomeKey(write.identity)))
  return encrypted && decrypt(write, encrypted)
}

function outcomeKey(identity: string): string {
  return `prepd:outcome:${identity}`
}

function encrypt({ identity, signature }: StoredWrite, plain: Uint8Array, iv: Uint8Array): Buffer {
  return encryptBytes(signatureKey(signature), plain, identity, iv)
}

function decrypt({ identity, signature }: StoredWrite, encrypted: Buffer): Uint8Array {
  return decryptBytes(signatureKey(signature), encrypted, identity) ?? new Uint8Array()
}

/** The encryption key of an outcome, derived from its request's signature: 64 unpredictable bytes. */
function signatureKey(signature: Uint8Array): Uint8Array {
  return deriveKey(signature, 'prepd outcome')
}
