import { quotient } from '../../perp/amounts.ts'
import { metaContent } from '../common/document.ts'
import {
  clockTime,
  countdown,
  displayDecimal,
  filledTemplate,
  fixedText,
  unsignedPercent,
} from '../common/format.ts'
import { Pairs, type Rows } from '../common/pairs.tsx'
import { type InjectedWallet, wallets } from '../common/wallets.ts'
import {
  approveWith,
  approveWithSecret,
  digestOfBody,
  isWorking,
  refuse,
  trouble,
} from './deciding.ts'
import { APPROVAL_TEXTS } from './messages.ts'
import { missingReason, type Shown, serviceMs, shown } from './state.ts'

export function ApprovalApp() {
  const write = shown.value
  return (
    <main>
      <h1>{metaContent('service')}</h1>
      {missingReason.value && <p role="status">{APPROVAL_TEXTS[missingReason.value]}</p>}
      {write && <Write write={write} />}
    </main>
  )
}

type Props = { readonly write: Shown }

function Write({ write }: Props) {
  return (
    <>
      <section>
        <h2>{APPROVAL_TEXTS.title}</h2>
        <ol>
          {write.order.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
        <Effects write={write} />
        <Pairs rows={writeRows(write)} />
        {write.worstUsdc !== '' && <p class="quiet">{APPROVAL_TEXTS.worstHow}</p>}
        <Exact write={write} />
      </section>
      <State write={write} />
      {trouble.value && (
        <section class="trouble" role="alert">
          <p>{trouble.value}</p>
        </section>
      )}
      {write.state === 'waiting' && <Deciding write={write} />}
    </>
  )
}

/** The lines about how the write changes position and leverage; nothing without such a change. */
function Effects({ write: { effects } }: Props) {
  if (effects.length === 0) return null
  return (
    <>
      <h3>{APPROVAL_TEXTS.effects}</h3>
      <ul>
        {effects.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p class="quiet">{APPROVAL_TEXTS.effectsWhy}</p>
    </>
  )
}

function writeRows({
  costUsdc,
  worstUsdc,
  accountId,
  state,
  decideUntilMs,
  ...asker
}: Shown): Rows {
  const usdc = (value: string) =>
    value === '' ? APPROVAL_TEXTS.notKnown : `${grouped(value)} USDC`
  const left = countdown(decideUntilMs - serviceMs.value).slice('00:'.length)
  return [
    costUsdc !== '' && [APPROVAL_TEXTS.cost, usdc(costUsdc)],
    [APPROVAL_TEXTS.worst, usdc(worstUsdc) + worstExcessText(worstUsdc, costUsdc)],
    [APPROVAL_TEXTS.account, accountId],
    asker.key !== '' && [APPROVAL_TEXTS.key, shortKey(asker.key)],
    asker.key !== '' && [APPROVAL_TEXTS.program, programText(asker.program)],
    state === 'waiting' && [APPROVAL_TEXTS.ends, left],
  ]
}

/** The text of how far the worst-case value exceeds the present value, in percent; '' if it does not. */
function worstExcessText(worst: string, cost: string): string {
  const [high, now] = [displayDecimal(worst), displayDecimal(cost)]
  if (worst === '' || now <= 0n || high <= now) return ''
  return filledTemplate(APPROVAL_TEXTS.excess, {
    percent: unsignedPercent(quotient(high - now, now)),
  })
}

/** A shortened public key, such as `ed25519:8wSn…x2Qd`. */
function shortKey(key: string): string {
  const [kind = '', text = ''] = key.split(':')
  return text.length > 12 ? `${kind}:${text.slice(0, 4)}…${text.slice(-4)}` : key
}

function programText(name: string): string {
  return name === '' ? APPROVAL_TEXTS.unsaid : filledTemplate(APPROVAL_TEXTS.callsItself, { name })
}

/** A decimal string with grouped thousands. The number of decimal places does not change. */
function grouped(text: string): string {
  return fixedText(displayDecimal(text), text.split('.')[1]?.length ?? 0)
}

function Exact({ write: { method, path, body } }: Props) {
  return (
    <details>
      <summary>{APPROVAL_TEXTS.exact}</summary>
      <pre>{`${method} ${path}\n${body}`}</pre>
      <Pairs rows={[[APPROVAL_TEXTS.digest, digestOfBody(body)]]} />
    </details>
  )
}

function State({ write: { state, useUntilMs } }: Props) {
  const text = Object.hasOwn(APPROVAL_TEXTS.states, state)
    ? APPROVAL_TEXTS.states[state as keyof typeof APPROVAL_TEXTS.states]
    : state
  return (
    <section class={`state ${state}`} role="status">
      <p>{filledTemplate(text, { until: clockTime(useUntilMs) })}</p>
    </section>
  )
}

function Deciding({ write }: Props) {
  const isPractice = metaContent('venue') !== 'live'
  return (
    <section>
      <p>{APPROVAL_TEXTS.choose}</p>
      {wallets.value.length === 0 && <p class="quiet">{APPROVAL_TEXTS.noWallet}</p>}
      <div class="deciding">
        {wallets.value.map((wallet) => (
          <Approve key={wallet.id} wallet={wallet} write={write} />
        ))}
        <button type="button" disabled={isWorking.value} onClick={() => refuse(write)}>
          {APPROVAL_TEXTS.refuse}
        </button>
      </div>
      {isWorking.value && <p role="status">{APPROVAL_TEXTS.working}</p>}
      {isPractice && <Practice write={write} />}
    </section>
  )
}

function Approve({ wallet, write }: Props & { readonly wallet: InjectedWallet }) {
  return (
    <button
      type="button"
      class="primary"
      disabled={isWorking.value}
      onClick={() => approveWith(wallet, write)}
    >
      {filledTemplate(APPROVAL_TEXTS.approveWith, { name: wallet.name || APPROVAL_TEXTS.unnamed })}
    </button>
  )
}

function Practice({ write }: Props) {
  async function choose({ currentTarget }: { readonly currentTarget: HTMLInputElement }) {
    const [file] = currentTarget.files ?? []
    if (!file) return
    const text = await file.text()
    currentTarget.value = ''
    await approveWithSecret(text, write)
  }
  return (
    <label>
      {APPROVAL_TEXTS.practice} <input type="file" disabled={isWorking.value} onChange={choose} />
      <p class="quiet">{APPROVAL_TEXTS.practiceWhy}</p>
    </label>
  )
}
