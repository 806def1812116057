import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { adopt } from '../evm/fixture.ts'
import { startSwapUpstream } from '../gateway/swap/fixture.ts'
import type { Recorded } from '../recording-upstream.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { settingsFolder } from '../settings-folder.ts'
import { recordedAnswer } from '../surface/recorded-venue.ts'
import { openTarget, type TargetKind, type TargetSettings } from '../target.ts'
import { type Answered, answered, exchange } from './exchange.ts'

/** A secret that hostile requests carry: it must come out nowhere. */
export const SECRET = `${'c0ffee'.repeat(10)}c0de`

const OPERATOR_KEY = 'operator-key-of-the-attack-corpus'
const UNLIMITED = [...['MCP', 'SWAP_QUOTE', 'SWAP', 'VOUCHER', 'REFERRAL', 'ADMIN']].map(
  (name) => [`LIMIT_${name}`, 'off'] as const,
)

/** The tables that a refused request must leave alone; kept answers and rate windows are neither here nor there. */
const TABLES = ['claims', 'nonces', 'proofs', 'entities', 'vouchers', 'voucher_audit'] as const

/** prepd with everything switched on, before upstreams that record what reaches them. */
export async function openWorld(kind: TargetKind, settings: TargetSettings = {}) {
  const folder = settingsFolder()
  const venue = await startRecordingUpstream(recordedAnswer)
  const swap = await startSwapUpstream()
  const chains = [await startRecordingUpstream(), await startRecordingUpstream()]
  const upstreams = [venue, swap, ...chains]
  folder.write('voucher.toml', voucherConfig(chains.map(({ url }) => url)))
  const dataDir = folder.path('data')
  const vouchers = openVoucherStore(join(dataDir, 'prepd.sqlite'))
  await adopt(vouchers, { nowMs: Date.now })
  vouchers.close()
  const target = await openTarget(kind, {
    VENUE: venue.url,
    SWAP: swap.url,
    VOUCHER: folder.path('voucher.toml'),
    VOUCHER_KEY: '07'.repeat(32),
    OPERATOR_KEY,
    OPS_LISTEN: '127.0.0.1:0',
    DATA_DIR: dataDir,
    TRUSTED_PROXIES: 'none',
    ...Object.fromEntries(UNLIMITED),
    ...settings,
  })
  const { public: url, ops: opsUrl } = await target.listening()
  const store = new Database(join(dataDir, 'prepd.sqlite'), { readonly: true })

  return {
    target,
    send: async (bytes: Buffer, to?: 'ops'): Promise<Answered> =>
      answered(await exchange(to === 'ops' ? opsUrl : url, bytes)),
    /** Everything that has reached any upstream. */
    sent: (): readonly Recorded[] => upstreams.flatMap(({ requests }) => requests),
    /** How many rows the store holds. */
    stored: () =>
      TABLES.map((table) => store.query(`SELECT count(*) AS rows FROM ${table}`).get()).reduce(
        (sum: number, row) => sum + Number(Object(row).rows),
        0,
      ),
    residentBytes: async () => {
      const text = answered(await exchange(opsUrl, METRICS)).body
      return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])
    },
    stop: async () => {
      store.close()
      await target.stop()
      for (const upstream of upstreams) await upstream.stop()
      folder[Symbol.dispose]()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

const METRICS = Buffer.from('GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n')

/** The example that operators start from, with endpoints of ours. */
function voucherConfig(urls: readonly string[]): string {
  const example = readFileSync(
    new URL('../../config/voucher.example.toml', import.meta.url),
    'utf8',
  )
  return example.replace(/^rpcs = .*$/m, `rpcs = ${JSON.stringify(urls)}`)
}
