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
async function record(path: string, ...events: readonly AuditEvent[]): Promise<void> {
  const store = openVoucherStore(path)
  for (const event of events) await store.record({ atMs: 1, event })
  store.close()
}

describe('a file that is put back to an earlier copy', () => {
  /** A store that was copied, then issued another voucher, and was put back to the copy. */
  async function putBack(): Promise<string> {
    const path = join(mkdtempSync(join(ROOT, 'data-')), 'prepd.sqlite')
    serve(path)
    await record(path, 'adopted', 'issued')
    serve(path)
    copyFileSync(path, `${path}.copy`)
    await record(path, 'issued')
    serve(path)
    copyFileSync(`${path}.copy`, path)
    return path
  }

  test('signs nothing until it is adopted again, and is noticed once', async () => {
    const path = await putBack()
    for (const _ of [1, 2]) {
      const again = openVoucherStore(path)
      expect(await again.isAdopted()).toBe(false)
      expect((await again.audit(9)).map(({ event }) => event)).toEqual([
        'lost',
        'issued',
        'adopted',
      ])
      again.close()
    }
    const adopting = openVoucherStore(path)
    await adopting.record({ atMs: 4, event: 'adopted' })
    expect(await adopting.isAdopted()).toBe(true)
    const { atMs = 0 } = (await adopting.audit(2))[1] ?? {}
    expect([await adopting.hasLostSince(atMs), await adopting.hasLostSince(atMs + 1)]).toEqual([
      true,
      false,
    ])
    adopting.close()
    const last = openVoucherStore(path)
    expect([await last.isAdopted(), await last.hasLostSince(0)]).toEqual([true, true])
    await last.record({ atMs: 5, event: 'complete' })
    expect(await last.hasLostSince(0)).toBe(false)
    last.close()
  })

  test('is adopted by a command beside a server that runs', async () => {
    const path = await putBack()
    const running = openVoucherStore(path)
    const command = openVoucherStore(path)
    await command.record({ atMs: 4, event: 'adopted' })
    command.close()
    expect(await running.isAdopted()).toBe(true)
    running.close()
  })

  test('is not noticed where its marks were put back with it, or are gone', async () => {
    const path = await putBack()
    rmSync(join(path, '..', 'prepd.mark'))
    const again = openVoucherStore(path)
    expect(await again.isAdopted()).toBe(true)
    again.close()
  })
})
