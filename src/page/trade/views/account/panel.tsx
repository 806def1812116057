import { dayTime, fixed, percent, signed } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { session, standing } from '../../account/session.ts'
import { positions, summary } from '../../account/state.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { D } from '../../messages/account.ts'
import { W } from '../../messages/page.ts'
import { openConnect } from '../connect/open.tsx'
import { shortId } from '../parts/dialog.tsx'
import { askToForget, ForgetDialog } from './forget-dialog.tsx'

/** Who trades here, with what, and until when. */
export function AccountPanel() {
  const key = session.value
  if (!key) return null
  return (
    <section class="panel account" id="account" aria-label={D.account.title}>
      <div class="head">
        <h2>{D.account.title}</h2>
        <span class="end quiet" title={key.accountId}>
          {shortId(key.accountId)}
        </span>
      </div>
      <div class="inside">
        {standing.value === 'active' && <Money />}
        <Key kept={key} />
      </div>
      <ForgetDialog />
    </section>
  )
}

function Money() {
  const { value } = summary
  if (!value) return <p class="quiet">{W.lists.waiting}</p>
  const hasPosition = positions.value.some(({ isIsolated }) => !isIsolated)
  return (
    <Pairs
      rows={[
        [D.account.collateral, `${fixed(value.collateral, 2)} USDC`],
        [D.account.free, `${fixed(value.free, 2)} USDC`],
        // Without a position the venue answers a ratio that stands for none.
        [D.account.ratio, hasPosition ? percent(value.marginRatio, 1).replace('+', '') : W.none],
        [D.account.dayPnl, `${signed(value.dayPnl, 2)} USDC`],
      ]}
    />
  )
}

function Key({ kept }: { readonly kept: KeptKey }) {
  const { address, publicKey, scope, expiresAtMs, wallet } = kept
  const made = wallet === 'throw-away' ? ` (${D.account.throwAway})` : ''
  return (
    <>
      <Pairs
        rows={[
          [D.account.wallet, shortId(address) + made],
          [D.account.key, shortId(publicKey.replace('ed25519:', ''))],
          [D.account.scope, D.account.scopes[scope] ?? scope],
          [D.account.until, dayTime(expiresAtMs)],
        ]}
      />
      <p class="quiet">{D.account.keyWhy}</p>
      <p class="row">
        <button type="button" onClick={openConnect}>
          {W.account.anew}
        </button>
        <button type="button" onClick={() => askToForget(kept)}>
          {D.account.forget}
        </button>
      </p>
    </>
  )
}
