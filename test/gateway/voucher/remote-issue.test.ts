import { afterEach, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { type DepositClaim, issueVoucher } from '../../../src/gateway/voucher/issue.ts'
import { openVoucherService } from '../../../src/gateway/voucher/service.ts'
import {
  createSigners,
  type VoucherSigner,
  voucherSigner,
} from '../../../src/gateway/voucher/signers.ts'
import { createVoucherWatch } from '../../../src/gateway/voucher/watch.ts'
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const NOW_MS = Date.UTC(2026, 0, 2)
const clock = { nowMs: () => NOW_MS }
const nothing = () => undefined
const log = { error: nothing, warn: nothing, info: nothing, debug: nothing }
const local = voucherSigner(new Uint8Array(32).fill(7))
const CAP = 1000n

const CLAIM: DepositClaim = {
  sourceChainId: 901,
  sourceVault: address('1'),
  depositId: 5n,
  txHash: `0x${'2'.repeat(64)}`,
  logIndex: 0,
  txDeposits: 1,
  blockNumber: 10n,
  blockHash: `0x${'3'.repeat(64)}`,
  depositor: address('4'),
  sourceToken: address('5'),
  sourceAmount: 900n,
  recipient: address('6'),
  destinationChainId: 902,
  depositKey: `0x${'8'.repeat(64)}`,
  terms: { redeemer: address('9'), token: address('a'), amount: 900n },
  payableUntil: NOW_MS / 1000 + 86_400,
}

function openBooks(signer: VoucherSigner) {
  const store = openVoucherStore(':memory:')
  const signers = createSigners({ keys: [signer], store, monotonicMs: clock.nowMs, log })
  const caps = new Map([[`${address('a')}:902`, CAP]])
  const config = { chains: new Map(), caps, validitySeconds: 600 }
  const chains = { read: async () => [] }
  const service = openVoucherService({ clock, store, config, signers, chains })
  return { store, service, deps: { clock, log, service, signers } }
}

const opened: ReturnType<typeof openBooks>[] = []
async function open(signer: VoucherSigner) {
  const books = openBooks(signer)
  opened.push(books)
  await books.store.record({ atMs: 0, event: 'adopted' })
  return books
}
afterEach(() => {
  for (const { store } of opened.splice(0)) store.close()
})

describe('a voucher whose signer is away', () => {
  test('is not given, and is the same voucher when the signer is back', async () => {
    let isAway = true
    const sign = async (message: Uint8Array) => {
      if (isAway) throw new Failure('not_available')
      return local.sign(message)
    }
    const { store, deps } = await open({ address: local.address, sign })
    const refused = await issueVoucher(deps, CLAIM).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'not_available' })
    const [unsigned] = await store.list(9)
    expect(unsigned).toMatchObject({ signature: null, generation: 1 })
    isAway = false
    const signed = await issueVoucher(deps, CLAIM)
    expect(signed).toMatchObject({ digest: unsigned?.digest ?? '', generation: 1 })
    expect(await store.list(9)).toEqual([signed])
  })
})

test('a signer that signs differently each time gives one answer to all that ask at once', async () => {
  // Two good signatures of one digest: the second is stored while the first is under way.
  const { store, deps } = await open({
    address: local.address,
    sign: async (message) => {
      const [row] = await store.list(1)
      if (row) await store.putSignature(row.depositKey, row.digest, '0xfirst', NOW_MS)
      return local.sign(message)
    },
  })
  expect((await issueVoucher(deps, CLAIM)).signature).toBe('0xfirst')
  expect((await store.list(1))[0]?.signature).toBe('0xfirst')
})

test('the watch shows how much of a cap is in use, and no signer where none is remote', async () => {
  const { service, deps } = await open(local)
  const watch = createVoucherWatch(service, [], clock)
  expect([watch.capUsed(), watch.signersUp(), watch.signerTrouble()]).toEqual([null, null, null])
  await watch.look()
  expect(watch.capUsed()).toBe(0)
  await issueVoucher(deps, CLAIM)
  await watch.look()
  expect(watch.capUsed()).toBe(0.9)
})

test('the watch names the signer that is away', async () => {
  const { service } = await open(local)
  let fault: string | null = null
  const remote = { ...local, check: async () => undefined, fault: () => fault }
  const watch = createVoucherWatch(service, [remote], clock)
  expect([watch.signersUp(), watch.signerTrouble()]).toEqual([true, null])
  fault = 'http_500'
  expect(watch.signersUp()).toBe(false)
  expect(watch.signerTrouble()).toStartWith(`The signer of ${local.address} does not sign`)
})
