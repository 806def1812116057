import { madeStore } from '../src/store/connection/made-store.ts'

/** A store's file without a row, packed, as text: src/store/connection/new-file.ts makes new files of it. */
export function emptyStoreText(): string {
  return Bun.zstdCompressSync(Buffer.from(madeStore()), { level: 19 }).toBase64()
}
