// Slow: PostgreSQL starts, and many race for its locks.
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { Failure } from '../../../src/core/failure.ts'
import { serviceFigures } from '../../../src/gateway/voucher/figures.ts'
import { type DepositClaim, issueVoucher } from '../../../src/gateway/voucher/issue.ts'
import { VoucherRefusal } from '../../../src/gateway/voucher/refusal.ts'
import { openVoucherService } from '../../../src/gateway/voucher/service.ts'
import {
  createSigners,
  type VoucherSigners,
  voucherSigner,
} from '../../../src/gateway/voucher/signers.ts'
import { type SharedPostgres, sharedPostgres } from '../postgres.ts'
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

let server: SharedPostgres
let stores: SharedStore[] = []
let database = ''
beforeAll(async () => {
  server = await sharedPostgres()
})
beforeEach(async () => {
  const url = await server.readyDatabase()
  database = new URL(url).pathname.slice(1)
  stores = await Promise.all(Array.from({ length: INSTANCES }, () => openAt(url)))
  await stores[0]?.vouchers.record({ atMs: 1, event: 'adopted' })
})
afterEach(() => {
  for (const store of stores) store.close()
})
const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

function claimOf(n: number): DepositClaim {
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
async function ask(at: number, claim: DepositClaim) {
  const store = stores[at % INSTANCES]
  if (!store) throw new Error('no instance')
  const config = { chains: new Map(), caps: new Map([[`${TOKEN}:902`, CAP]]), validitySeconds: 600 }
  const books = { ...store.vouchers, close: nothing }
  const chains = { read: async () => [] }
  const signers = createSigners({ keys: [signer], store: books, monotonicMs: () => 0, log })
  const service = openVoucherService({ clock, store: books, signers, config, chains })
  for (;;) {
    try {
      return await issueVoucher({ clock, log, service, signers }, claim)
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

test('an instance that was stopped for longer than it is remembered signs nothing beside another key', async () => {
  const [stopped, other] = stores
  if (!stopped || !other) throw new Error('no instance')
  let nowMs = 0
  const parts = { keys: [signer], store: stopped.vouchers, monotonicMs: () => nowMs, log }
  const signers = createSigners(parts)
  expect((await signers.current())?.address).toBe(signer.address)
  const foreign = `0x${'ee'.repeat(20)}`
  expect(await other.vouchers.registerSigner([foreign])).toEqual({ conflict: signer.address })
  await server.ask(
    `UPDATE prepd_voucher_signers SET seen_at = seen_at - interval '10 seconds'`,
    database,
  )
  expect(await other.vouchers.registerSigner([foreign])).toEqual({ signer: foreign })
  nowMs = 9999
  expect((await signers.current())?.address).toBe(signer.address)
  nowMs = 10_000
  expect(await signers.current()).toBeNull()
  expect(await conflictOf(stopped, signers)).toBe(1)
  await other.vouchers.leaveSigners()
  await signers.renew()
  expect((await signers.current())?.address).toBe(signer.address)
  expect(await conflictOf(stopped, signers)).toBe(0)
})

/** The figure of a conflict between signers, as an instance shows it. */
async function conflictOf(at: SharedStore, signers: VoucherSigners) {
  const config = { chains: new Map(), caps: new Map(), validitySeconds: 600 }
  const store = { ...at.vouchers, close: nothing }
  const chains = { read: async () => [] }
  const figures = await serviceFigures(
    openVoucherService({ clock, store, signers, config, chains }),
    clock,
  )
  const figure = figures.find(({ name }) => name === 'voucher_signer_conflict')
  return figure?.samples[0]?.value
}

test('a pause of one instance stops every other at once', async () => {
  await stores[0]?.vouchers.record({ atMs: 1, event: 'paused' })
  expect(await ask(1, claimOf(1))).toBeNull()
  expect(await stores[2]?.vouchers.list(9)).toEqual([])
})
