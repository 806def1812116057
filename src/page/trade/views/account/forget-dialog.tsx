import { signal } from '@preact/signals'
import { absolute } from '../../../common/amounts.ts'
import { fill } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { forget, session } from '../../account/session.ts'
import { orders, ordersReading, positions, positionsReading } from '../../account/state.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { hasSecret, saveSecret } from '../../account/wallets.ts'
import { D } from '../../messages/account.ts'
import { tell, tellFailure } from '../../messages/notices.ts'
import { W } from '../../messages/page.ts'
import { baseOf, sizeText } from '../../orders/text.ts'
import { Dialog } from '../parts/dialog.tsx'

const A = D.account

/** The key that is about to be forgotten. */
const asked = signal<KeptKey | null>(null)

/** Asks whether the key is to be forgotten. */
export function askToForget(key: KeptKey): void {
  asked.value = key
}

function shut(): void {
  asked.value = null
}

/** What is open, what is lost with the key, and the wallet's secret while the page has it. */
export function ForgetDialog() {
  const { value: key } = asked
  // Another tab may have forgotten the key meanwhile.
  if (!key || session.value?.publicKey !== key.publicKey) return null
  const isSaveable = hasSecret(key.address)
  return (
    <Dialog title={A.forget} onClose={shut}>
      <Pairs rows={openRows()} />
      <p class="notice">{lossOf(key, isSaveable)}</p>
      <p class="row end">
        {isSaveable && (
          <button type="button" onClick={() => saveSecret(key.address)}>
            {A.saveSecret}
          </button>
        )}
        <button type="button" onClick={shut}>
          {W.cancel}
        </button>
        <button type="button" class="primary" onClick={() => void drop()}>
          {A.forgetNow}
        </button>
      </p>
    </Dialog>
  )
}

/** Open positions and orders by name; that they are not known where they could not be read. */
function openRows(): readonly (readonly [string, string])[] {
  const held = positions.value.map(({ symbol, size }) =>
    [size > 0n ? W.long : W.short, sizeText(symbol, absolute(size)), baseOf(symbol)].join(' '),
  )
  const ordered = orders.value.map(({ symbol, side, size }) =>
    [W.side[side], sizeText(symbol, size), baseOf(symbol)].join(' '),
  )
  return [
    [W.lists.positions, named(held, positionsReading.value.data !== null)],
    [W.lists.orders, named(ordered, ordersReading.value.data !== null)],
  ]
}

const NAMED_MAX = 5

function named(names: readonly string[], isKnown: boolean): string {
  if (!isKnown) return A.notRead
  const others = names.length - NAMED_MAX
  const shown = names.slice(0, NAMED_MAX)
  if (others > 0) shown.push(fill(A.andMore, { count: others }))
  return shown.join(', ') || A.noneOpen
}

function lossOf({ wallet }: KeptKey, isSaveable: boolean): string {
  if (wallet === 'injected') return A.loss.injected
  return isSaveable ? A.loss.saveable : A.loss.gone
}

async function drop(): Promise<void> {
  shut()
  try {
    await forget()
    tell({ kind: 'good', text: A.forgot })
  } catch (error) {
    tellFailure(error)
  }
}
