import { signal } from '@preact/signals'
import { filledTemplate } from '../../../common/format.ts'
import { findWallets, type InjectedWallet, wallets } from '../../../common/wallets.ts'
import {
  connect,
  leaveOpening,
  type OpeningStage,
  stage,
  switchChain,
} from '../../account/connecting.ts'
import { KEY_DAYS, SCOPES } from '../../account/opening.ts'
import { missingCapability } from '../../account/session.ts'
import { hasSecret, saveSecret } from '../../account/wallet-secrets.ts'
import { IS_EMBEDDED } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { CONNECT_TEXTS } from '../../messages/connect.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { WALLET_STEP_TEXTS } from '../../messages/wallet-steps.ts'
import { WARNINGS } from '../../messages/warnings.ts'
import { Dialog } from '../parts/dialog.tsx'
import { WaitCountdown } from '../parts/waiting.tsx'
import { DocumentReview } from './review.tsx'

const scope = signal<(typeof SCOPES)[number]>('read,trading')
const days = signal<(typeof KEY_DAYS)[number]>(30)

findWallets()

/** The dialog that opens an account: the wallet, its signatures, and the result. */
export function ConnectDialog({ onClose }: { readonly onClose: () => void }) {
  const shut = () => {
    leaveOpening()
    onClose()
  }
  return (
    <Dialog title={CONNECT_TEXTS.title} onClose={shut}>
      {missingCapability.value === null ? (
        <Current at={stage.value} shut={shut} />
      ) : (
        <p class="notice">{WARNINGS.missing[missingCapability.value]}</p>
      )}
    </Dialog>
  )
}

function Current({ at, shut }: { readonly at: OpeningStage; readonly shut: () => void }) {
  switch (at.at) {
    case 'choosing':
      return <Choosing />
    case 'working':
      return (
        <p role="status">
          {at.waitUntilMs > 0 ? <WaitCountdown untilMs={at.waitUntilMs} /> : CONNECT_TEXTS.working}
        </p>
      )
    case 'review':
      return <DocumentReview document={at.document} onAnswer={at.answer} />
    case 'stopped':
      return <Stopped at={at} />
    case 'done':
      return <Done address={at.address} shut={shut} />
    default:
      return null
  }
}

/**
 * The last step of opening an account. It offers a new wallet's secret as a file, because otherwise only this browser
 * has the secret.
 */
function Done({ address, shut }: { readonly address: string; readonly shut: () => void }) {
  const isMade = hasSecret(address)
  function save(): void {
    saveSecret(address)
    shut()
  }
  return (
    <>
      <p role="status">{CONNECT_TEXTS.done}</p>
      {isMade && <p class="quiet">{CONNECT_TEXTS.saveWhy}</p>}
      <p class="row end">
        {isMade && (
          <button type="button" class="primary" onClick={save}>
            {ACCOUNT_TEXTS.account.saveSecret}
          </button>
        )}
        <button type="button" class={isMade ? '' : 'primary'} onClick={shut}>
          {PAGE_TEXTS.close}
        </button>
      </p>
    </>
  )
}

function Choosing() {
  return (
    <>
      <p>{CONNECT_TEXTS.intro}</p>
      <KeyOptionFields />
      <h3>{CONNECT_TEXTS.choose}</h3>
      {wallets.value.length === 0 && <p class="quiet">{CONNECT_TEXTS.noWallet}</p>}
      <div class="wallets">
        {wallets.value.map((wallet) => (
          <button key={wallet.id} type="button" onClick={() => start(wallet)}>
            {wallet.icon !== '' && <img src={wallet.icon} alt="" width="20" height="20" />}
            {wallet.name || WALLET_STEP_TEXTS.unnamed}
          </button>
        ))}
        {IS_EMBEDDED && (
          <button type="button" onClick={() => start(null)}>
            {CONNECT_TEXTS.throwAway}
          </button>
        )}
      </div>
      {IS_EMBEDDED && <p class="quiet">{CONNECT_TEXTS.throwAwayWhy}</p>}
    </>
  )
}

function start(wallet: InjectedWallet | null): void {
  void connect(wallet, { scope: scope.peek(), days: days.peek() })
}

function KeyOptionFields() {
  return (
    <div class="key-options">
      <label>
        {CONNECT_TEXTS.may}{' '}
        <select
          value={scope.value}
          onChange={(event) => {
            scope.value = SCOPES.find((name) => name === event.currentTarget.value) ?? SCOPES[0]
          }}
        >
          {SCOPES.map((name) => (
            <option key={name} value={name}>
              {ACCOUNT_TEXTS.account.scopes[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {CONNECT_TEXTS.lives}{' '}
        <select
          value={days.value}
          onChange={(event) => {
            days.value = KEY_DAYS.find((count) => count === Number(event.currentTarget.value)) ?? 30
          }}
        >
          {KEY_DAYS.map((count) => (
            <option key={count} value={count}>
              {count === 1
                ? CONNECT_TEXTS.day
                : filledTemplate(CONNECT_TEXTS.days, { days: count })}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

function Stopped({ at }: { readonly at: Extract<OpeningStage, { at: 'stopped' }> }) {
  const { text, next, wrongChain } = at
  return (
    <>
      <p class="notice" role="alert">
        {text} {next}
      </p>
      <p class="row end">
        {wrongChain?.chains.map(({ id, name }) => (
          <button key={id} type="button" onClick={() => void switchChain(wrongChain, id)}>
            {filledTemplate(CONNECT_TEXTS.switchTo, { name })}
          </button>
        ))}
        <button type="button" class="primary" onClick={leaveOpening}>
          {CONNECT_TEXTS.again}
        </button>
      </p>
    </>
  )
}
