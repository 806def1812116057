import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import type { SharedStore } from '../../../src/store/postgres/store.ts'
import { openVoucherDesk } from '../../../src/voucher/desk.ts'
import { type Claim, issue } from '../../../src/voucher/issue.ts'
import { VoucherRefusal } from '../../../src/voucher/refusal.ts'
import { voucherSigner } from '../../../src/voucher/signer.ts'
import { type PostgresServer, startPostgres } from '../../engines/postgres.ts'
import { openAt } from './instance.ts'

const NOW_MS = 1_800_000_000_000
const INSTANCES = 3
const ISSUERS = 16
const TOKEN = `0x${'ab'.repeat(20)}`
const CAP = 100n
const EACH = 30n
const nothing = () => undefined
const log = { error: nothing, warn: nothing, info: nothing, debug: nothing }
const clock = { nowMs: () => NOW_MS }
const signer = voucherSigner(new Uint8Array(32).fill(7))

let server: PostgresServer
let stores: SharedStore[] = []
beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  const url = await server.newDatabase()
  stores = await Promise.all(Array.from({ length: INSTANCES }, () => openAt(url)))
  await stores[0]?.vouchers.record({ atMs: 1, event: 'adopted' })
})
afterEach(() => {
  for (const store of stores) store.close()
})
afterAll(() => server.stop())

const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

function claimOf(n: number): Claim {
  return {
    depositKey: hash(n),
    sourceChainId: 901,
    sourceVault: address(1),
    depositId: BigInt(n),
    txHash: hash(n),
    logIndex: 0,
    txDeposits: 1,
    blockNumber: 5n,
    blockHash: hash(99),
    depositor: address(2),
    sourceToken: address(3),
    sourceAmount: EACH,
    recipient: address(4),
    destinationChainId: 902,
    terms: { redeemer: address(5), token: TOKEN, amount: EACH },
    payableUntil: NOW_MS / 1000 + 600_000,
  }
}

/** Asks an instance for the voucher of a claim, again where it had to wait for too long. */
async function ask(at: number, claim: Claim) {
  const store = stores[at % INSTANCES]
  if (!store) throw new Error('no instance')
  const config = { chains: new Map(), caps: new Map([[`${TOKEN}:902`, CAP]]), validitySeconds: 600 }
  const books = { ...store.vouchers, close: nothing }
  const chains = { read: async () => [] }
  const desk = openVoucherDesk({ clock, store: books, signer, config, chains })
  for (;;) {
    try {
      return await issue({ clock, log, desk, signer }, claim)
    } catch (error) {
      if (error instanceof VoucherRefusal) return null
      if (!(error instanceof Failure)) throw error
    }
  }
}

test('of many who issue one deposit at once, at any instance, all get one voucher', async () => {
  const claim = claimOf(1)
  const rows = await Promise.all(Array.from({ length: ISSUERS }, (_, at) => ask(at, claim)))
  const [first] = rows
  expect(first?.signature).toMatch(/^0x/)
  expect(new Set(rows.map((row) => `${row?.digest} ${row?.signature}`)).size).toBe(1)
  expect(await stores[0]?.vouchers.list(9)).toHaveLength(1)
  const events = (await stores[0]?.vouchers.audit(99))?.map(({ event }) => event)
  expect(events).toEqual(['issued', 'adopted'])
})

test('of many who issue deposits of one token at once, no more are paid than its cap allows', async () => {
  const rows = await Promise.all(
    Array.from({ length: ISSUERS }, (_, at) => ask(at, claimOf(at + 1))),
  )
  const paid = rows.filter((row) => row !== null)
  expect(paid).toHaveLength(Number(CAP / EACH))
  expect(new Set(paid.map(({ depositKey }) => depositKey)).size).toBe(paid.length)
  const kept = (await stores[0]?.vouchers.list(99)) ?? []
  expect(kept.reduce((sum, { amount }) => sum + amount, 0n)).toBe(CAP - (CAP % EACH))
})

test('a pause of one instance stops every other at once', async () => {
  await stores[0]?.vouchers.record({ atMs: 1, event: 'paused' })
  expect(await ask(1, claimOf(1))).toBeNull()
  expect(await stores[2]?.vouchers.list(9)).toEqual([])
})
