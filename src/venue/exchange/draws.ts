import type { Random } from '../../core/ports.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import type { Counters } from './state.ts'

/**
 * The bytes of nonces, transaction ids and codes: from the seed, one after the other, so that the same calls are given
 * the same. Nothing that must be secret comes from here. How many were drawn is stored with the other counters.
 */
export function drawsOf(seed: number, counters: Counters): Random {
  function draw(): Uint8Array {
    counters.draws += 1
    return keccak256(Buffer.from(`${seed}/draw/${counters.draws}`))
  }

  return {
    bytes: (length) => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at += DRAW_BYTES) bytes.set(draw().subarray(0, length - at), at)
      return bytes
    },
  }
}

const DRAW_BYTES = 32
