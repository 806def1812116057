import { ONE } from '../../../../src/venue/engine/units.ts'
import { enqueue, type Wish } from '../../../../src/venue/engine/vaults/ledger.ts'
import { type Closing, closePeriod } from '../../../../src/venue/engine/vaults/period.ts'
import {
  mainPrice,
  sharesAt,
  stakeOf,
  stakeWorth,
} from '../../../../src/venue/engine/vaults/value.ts'
import { type Ledger, newLedger, type Role } from '../../../../src/venue/engine/vaults/vault.ts'

const DAY_MS = 86_400_000
export const USDC = 1_000_000
const FEE = ONE / 5

/** A vault without a market: its value changes when a test says so. */
export function openLedger() {
  const ledger: Ledger = newLedger(0, 'provider')
  let [nav, day, paidIn, paidOut] = [0, 0, 0, 0]
  const ask = (role: Role, wallet: string, type: Wish['type'], size: number, account = false) =>
    enqueue(
      ledger,
      {
        ...{ wallet, role, type, size, nonce: null, chainId: '1' },
        ...{ account: account ? 7 : null, broker: account ? 'demo' : null },
      },
      day * DAY_MS + 1,
    )
  function end(payoutMax = nav): Closing {
    day += 1
    const closing = closePeriod(ledger, { nav, payoutMax, feeRate: FEE }, day * DAY_MS)
    const { deposited, withdrawn } = closing.period
    nav += deposited - withdrawn
    paidIn += deposited
    paidOut += withdrawn
    return closing
  }
  return {
    ledger,
    ask,
    end,
    nav: () => nav,
    nowMs: () => day * DAY_MS,
    paid: () => ({ paidIn, paidOut }),
    win: (amount: number) => {
      nav += amount
    },
    worth: (wallet: string, role: Role = 'lp') => {
      const stake = stakeOf(ledger, role, wallet)
      return stake ? stakeWorth(sharesAt(ledger, nav), role, stake) : 0
    },
    price: () => mainPrice(sharesAt(ledger, nav)),
  }
}
