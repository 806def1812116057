import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFile } from '../src/store/connection/new-file.ts'

/** A store's file without a row, packed, as text: src/store/connection/new-file.ts makes new files of it. */
export function emptyStoreText(): string {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-empty-'))
  try {
    const file = join(folder, 'prepd.sqlite')
    makeFile(file)
    return Bun.zstdCompressSync(readFileSync(file), { level: 19 }).toBase64()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
