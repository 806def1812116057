import type { Reply } from '../scrub/reply.ts'

/** How the last attempt to renew an entry failed. */
export type Setback = { readonly atMs: number; readonly outage: boolean }

/** One answer held in memory. */
export type Entry = { readonly reply: Reply; fetchedAtMs: number; setback?: Setback }

/** Answers by key, the least recently used going first when the bytes run out. */
export type ReplyMemory = {
  readonly get: (key: string, nowMs: number) => Entry | undefined
  /** Holds an entry, unless it alone would take more than everything. */
  readonly put: (key: string, entry: Entry, nowMs: number) => void
  readonly clear: () => void
  readonly bytes: () => number
}

/** What an entry costs beside its body: the map's slot and the objects around it. */
const ENTRY_BYTES = 256

type Slot = { readonly entry: Entry; readonly bytes: number; usedSecond: number }

/** A memory of at most `maxBytes`, keys and compressed bodies included. */
export function createReplyMemory(maxBytes: number): ReplyMemory {
  const slots = new Map<string, Slot>()
  let bytes = 0

  function get(key: string, nowMs: number): Entry | undefined {
    const slot = slots.get(key)
    if (!slot) return undefined
    // Moving a slot costs more than finding it, so an entry in constant use moves once a second.
    const second = Math.floor(nowMs / 1000)
    if (slot.usedSecond !== second) {
      slot.usedSecond = second
      slots.delete(key)
      slots.set(key, slot)
    }
    return slot.entry
  }

  function put(key: string, entry: Entry, nowMs: number): void {
    drop(key)
    const slot = { entry, bytes: costOf(key, entry.reply), usedSecond: Math.floor(nowMs / 1000) }
    if (slot.bytes > maxBytes) return
    slots.set(key, slot)
    bytes += slot.bytes
    for (const oldest of slots.keys()) {
      if (bytes <= maxBytes) return
      drop(oldest)
    }
  }

  function drop(key: string): void {
    bytes -= slots.get(key)?.bytes ?? 0
    slots.delete(key)
  }

  function clear(): void {
    slots.clear()
    bytes = 0
  }

  return { get, put, clear, bytes: () => bytes }
}

/** The compressed body is made on first use and only kept when it is shorter, so twice the bytes bounds both. */
function costOf(key: string, reply: Reply): number {
  return ENTRY_BYTES + 2 * key.length + 2 * reply.bytes.byteLength
}
