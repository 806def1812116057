import type { World } from '../world.ts'
import { snapshotOf } from './snapshot.ts'

/**
 * The hash of everything that decides what a world will do, SHA-256 in hex: equal hashes, equal futures. A world of days
 * is tens of megabytes of text, over which nobody should have to wait.
 */
export function hashOf(world: World): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(snapshotOf(world))).digest('hex')
}
