import { absolute } from '../../../../core/decimals.ts'
import { filledTemplate } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { dropEncrypted } from '../../account/encrypted-secrets.ts'
import { forgetKey, session } from '../../account/session.ts'
import {
  conditionalReading,
  conditionals,
  heldPositions,
  orders,
  ordersReading,
  positionsReading,
} from '../../account/state.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { hasSecret, saveSecret } from '../../account/wallet-secrets.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { FORGET_TEXTS } from '../../messages/forget.ts'
import { showNotice } from '../../messages/notices.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { sizeText, symbolBase } from '../../orders/text.ts'
import { Dialog } from '../parts/dialog.tsx'

type Props = { readonly kept: KeptKey; readonly onClose: () => void }

/**
 * The dialog that confirms deleting the key. It names open positions and orders and what is lost, and offers the
 * wallet's secret if the page has it.
 */
export function ForgetDialog({ kept: key, onClose: shut }: Props) {
  // Shows nothing if another tab has deleted the key meanwhile.
  if (session.value?.publicKey !== key.publicKey) return null
  const isSaveable = hasSecret(key.address)
  return (
    <Dialog title={ACCOUNT_TEXTS.account.forget} onClose={shut}>
      <Pairs rows={openRows()} />
      <p class="notice">{keyLossText(key, isSaveable)}</p>
      <p class="row end">
        {isSaveable && (
          <button type="button" onClick={() => saveSecret(key.address)}>
            {ACCOUNT_TEXTS.account.saveSecret}
          </button>
        )}
        <button type="button" class="primary" onClick={shut}>
          {PAGE_TEXTS.cancel}
        </button>
        <button
          type="button"
          onClick={() => {
            shut()
            void drop(key)
          }}
        >
          {FORGET_TEXTS.forgetNow}
        </button>
      </p>
    </Dialog>
  )
}

/** Rows that name the open positions and orders, or say that they could not be read. */
function openRows(): Rows {
  const held = heldPositions.value.map(({ symbol, size }) =>
    [
      size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short,
      sizeText(symbol, absolute(size)),
      symbolBase(symbol),
    ].join(' '),
  )
  const ordered = orders.value.map(({ symbol, side, size }) =>
    [PAGE_TEXTS.side[side], sizeText(symbol, size), symbolBase(symbol)].join(' '),
  )
  const waiting = conditionals.value.map(({ symbol, kind }) =>
    [ACCOUNT_TEXTS.lists.kinds[kind] ?? kind, symbolBase(symbol)].join(' '),
  )
  return [
    [PAGE_TEXTS.lists.positions, named(held, positionsReading.value.data !== null)],
    [PAGE_TEXTS.lists.orders, named(ordered, ordersReading.value.data !== null)],
    [PAGE_TEXTS.lists.conditional, named(waiting, conditionalReading.value.data !== null)],
  ]
}

const NAMED_MAX = 5

function named(names: readonly string[], isKnown: boolean): string {
  if (!isKnown) return FORGET_TEXTS.notRead
  const others = names.length - NAMED_MAX
  const shown = names.slice(0, NAMED_MAX)
  if (others > 0) shown.push(filledTemplate(ACCOUNT_TEXTS.account.andMore, { count: others }))
  return shown.join(', ') || FORGET_TEXTS.noneOpen
}

function keyLossText({ wallet }: KeptKey, isSaveable: boolean): string {
  if (wallet === 'injected') return FORGET_TEXTS.loss.injected
  return isSaveable ? FORGET_TEXTS.loss.saveable : FORGET_TEXTS.loss.gone
}

async function drop({ address, wallet }: KeptKey): Promise<void> {
  try {
    // The secret is deleted before the key, so that a failed deletion can be repeated.
    if (wallet === 'throw-away') await dropEncrypted(address)
    await forgetKey()
    showNotice({ kind: 'good', text: FORGET_TEXTS.forgot })
  } catch {
    showNotice({ kind: 'bad', text: FORGET_TEXTS.notForgotten })
  }
}
