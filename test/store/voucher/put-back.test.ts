import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { AuditEvent } from '../../../src/store/voucher/port.ts'
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'prepd-put-back-'))
afterAll(() => rmSync(ROOT, { recursive: true }))

/** What a server does from its start to its stop: it makes the marks, and leaves no log behind. */
function serve(path: string): void {
  openSqlite(path, 1).close()
}

/** Records each as one transaction. */
function record(path: string, ...events: readonly AuditEvent[]): void {
  const store = openVoucherStore(path)
  for (const event of events) store.atomically(() => store.record({ atMs: 1, event }))
  store.close()
}

describe('a file that is put back to an earlier copy', () => {
  /** A store that was copied, then issued another voucher, and was put back to the copy. */
  function putBack(): string {
    const path = join(mkdtempSync(join(ROOT, 'data-')), 'prepd.sqlite')
    serve(path)
    record(path, 'adopted', 'issued')
    serve(path)
    copyFileSync(path, `${path}.copy`)
    record(path, 'issued')
    serve(path)
    copyFileSync(`${path}.copy`, path)
    return path
  }

  test('signs nothing until it is adopted again, and is noticed once', () => {
    const path = putBack()
    for (const _ of [1, 2]) {
      const again = openVoucherStore(path)
      expect(again.isAdopted()).toBe(false)
      expect(again.audit(9).map(({ event }) => event)).toEqual(['lost', 'issued', 'adopted'])
      again.close()
    }
    const adopting = openVoucherStore(path)
    adopting.record({ atMs: 4, event: 'adopted' })
    expect(adopting.isAdopted()).toBe(true)
    adopting.close()
    const last = openVoucherStore(path)
    expect(last.isAdopted()).toBe(true)
    last.close()
  })

  test('is adopted by a command beside a server that runs', () => {
    const path = putBack()
    const running = openVoucherStore(path)
    const command = openVoucherStore(path)
    command.record({ atMs: 4, event: 'adopted' })
    command.close()
    expect(running.isAdopted()).toBe(true)
    running.close()
  })

  test('is not noticed where its marks were put back with it, or are gone', () => {
    const path = putBack()
    rmSync(join(path, '..', 'prepd.mark'))
    const again = openVoucherStore(path)
    expect(again.isAdopted()).toBe(true)
    again.close()
  })
})
