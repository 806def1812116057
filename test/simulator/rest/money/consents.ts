import {
  LEDGER_CONTRACTS,
  type StructMessage,
  type StructName,
  typedDataDigest,
} from '../../../../src/core/crypto/typed-data.ts'
import { signDigest, toWalletAddress } from '../../../../src/core/crypto/wallet-signature.ts'
import { checkExchange } from '../../../../src/simulator/engine/check.ts'
import type { Trader, VenueFixture } from '../../fixture.ts'
import { BROKER_ID, secretOf } from '../../trading-wallet.ts'

const CHAIN_ID = 42_161
const [LEDGER] = LEDGER_CONTRACTS

/** What a consent would say if nothing were wrong with it. */
export type Wrong = {
  /** Signed by somebody else's wallet. */
  readonly wallet?: string
  /** Said and signed otherwise. */
  readonly message?: Readonly<Record<string, unknown>>
  /** Said after it was signed. */
  readonly forged?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** The body that a wallet's consent is sent in. */
function consentOf<S extends StructName>(
  struct: S,
  name: string,
  message: StructMessage<S> & { readonly chainId: number | string },
  { wallet = name, forged = {}, body = {} }: Wrong = {},
) {
  const domain = { chainId: message.chainId, verifyingContract: LEDGER }
  const signature = signDigest(
    typedDataDigest(struct, message, domain),
    secretOf(`wallet ${wallet}`),
  )
  return {
    message: { ...message, ...forged },
    signature,
    userAddress: toWalletAddress(secretOf(`wallet ${name}`)),
    verifyingContract: LEDGER,
    ...body,
  }
}

/** Requests that traders sign with their wallets. */
export function consentsOf(fixture: VenueFixture) {
  async function withdraw(trader: Trader, name: string, amount: string, wrong: Wrong = {}) {
    const { withdraw_nonce } = (await trader.get('/v1/withdraw_nonce')).data
    const message = {
      brokerId: BROKER_ID,
      chainId: CHAIN_ID,
      receiver: trader.address,
      token: 'USDC',
      amount,
      withdrawNonce: withdraw_nonce,
      timestamp: fixture.nowMs(),
      ...wrong.message,
    }
    return trader.post('/v1/withdraw_request', consentOf('Withdraw', name, message, wrong))
  }
  async function settle(trader: Trader, name: string, wrong: Wrong = {}) {
    const { settle_nonce } = (await trader.get('/v1/settle_nonce')).data
    const message = {
      brokerId: BROKER_ID,
      chainId: CHAIN_ID,
      settleNonce: settle_nonce,
      timestamp: fixture.nowMs(),
      ...wrong.message,
    }
    return trader.post('/v1/settle_pnl', consentOf('SettlePnl', name, message, wrong))
  }
  async function transfer(
    trader: Trader,
    name: string,
    receiver: string,
    amount: string,
    wrong: Wrong = {},
  ) {
    const { transfer_nonce } = (await trader.get('/v1/transfer_nonce')).data
    const message = {
      receiver,
      token: 'USDC',
      amount,
      transferNonce: transfer_nonce,
      chainId: CHAIN_ID,
      ...wrong.message,
    }
    const body = consentOf('InternalTransfer', name, message, wrong)
    return trader.post('/v2/internal_transfer', body)
  }
  return { withdraw, settle, transfer }
}

/** Lets time pass, and looks the books through. */
export function passed(fixture: VenueFixture, ms: number): readonly string[] {
  fixture.sleep(ms)
  fixture.advance()
  return brokenOf(fixture)
}

/** Every invariant that is broken now. */
export function brokenOf(fixture: VenueFixture): readonly string[] {
  return checkExchange(fixture.exchange().simulation().engine.world.exchange)
}

export async function holdingOf(trader: Trader, token = 'USDC') {
  const { holding } = (await trader.get('/v1/client/holding?all=true')).data
  return holding.find((row: { token: string }) => row.token === token)
}
