import { toHex } from '../../../core/hex.ts'
import { keccak256 } from '../../../crypto/keccak.ts'
import type { World } from '../world.ts'
import { snapshotOf } from './snapshot.ts'

/** The hash of everything that decides what a world will do: equal hashes, equal futures. */
export function hashOf(world: World): string {
  return toHex(keccak256(Buffer.from(JSON.stringify(snapshotOf(world)))))
}
