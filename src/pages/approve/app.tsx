import { divided } from '../../perp/amounts.ts'
import { metaOf } from '../common/document.ts'
import { clockTime, countdown, fill, fixed, near, unsignedPercent } from '../common/format.ts'
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
import { M } from './messages.ts'
import { missing, type Shown, serviceMs, shown } from './state.ts'

export function App() {
  const write = shown.value
  return (
    <main>
      <h1>{metaOf('service')}</h1>
      {missing.value && <p role="status">{M[missing.value]}</p>}
      {write && <Write write={write} />}
    </main>
  )
}

type Props = { readonly write: Shown }

function Write({ write }: Props) {
  return (
    <>
      <section>
        <h2>{M.title}</h2>
        <ol>
          {write.order.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
        <Effects write={write} />
        <Pairs rows={rowsOf(write)} />
        {write.worstUsdc !== '' && <p class="quiet">{M.worstHow}</p>}
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

/** The effects of the write on position and leverage, if it changes them. */
function Effects({ write: { effects } }: Props) {
  if (effects.length === 0) return null
  return (
    <>
      <h3>{M.effects}</h3>
      <ul>
        {effects.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p class="quiet">{M.effectsWhy}</p>
    </>
  )
}

function rowsOf({ costUsdc, worstUsdc, accountId, state, decideUntilMs, ...asker }: Shown): Rows {
  const usdc = (value: string) => (value === '' ? M.notKnown : `${grouped(value)} USDC`)
  const left = countdown(decideUntilMs - serviceMs.value).slice('00:'.length)
  return [
    costUsdc !== '' && [M.cost, usdc(costUsdc)],
    [M.worst, usdc(worstUsdc) + excessOf(worstUsdc, costUsdc)],
    [M.account, accountId],
    asker.key !== '' && [M.key, shortKey(asker.key)],
    asker.key !== '' && [M.program, programText(asker.program)],
    state === 'waiting' && [M.ends, left],
  ]
}

/**
 * The distance of the worst value above the present value in percent, as a text: the sum of the assumed price moves.
 */
function excessOf(worst: string, cost: string): string {
  const [high, now] = [near(worst), near(cost)]
  if (worst === '' || now <= 0n || high <= now) return ''
  return fill(M.excess, { percent: unsignedPercent(divided(high - now, now)) })
}

/** `ed25519:8wSn…x2Qd`. */
function shortKey(key: string): string {
  const [kind = '', text = ''] = key.split(':')
  return text.length > 12 ? `${kind}:${text.slice(0, 4)}…${text.slice(-4)}` : key
}

function programText(name: string): string {
  return name === '' ? M.unsaid : fill(M.callsItself, { name })
}

/** A decimal text with grouped thousands, and the places that it has. */
function grouped(text: string): string {
  return fixed(near(text), text.split('.')[1]?.length ?? 0)
}

function Exact({ write: { method, path, body } }: Props) {
  return (
    <details>
      <summary>{M.exact}</summary>
      <pre>{`${method} ${path}\n${body}`}</pre>
      <Pairs rows={[[M.digest, digestOfBody(body)]]} />
    </details>
  )
}

function State({ write: { state, useUntilMs } }: Props) {
  const text = Object.hasOwn(M.states, state) ? M.states[state as keyof typeof M.states] : state
  return (
    <section class={`state ${state}`} role="status">
      <p>{fill(text, { until: clockTime(useUntilMs) })}</p>
    </section>
  )
}

function Deciding({ write }: Props) {
  const isPractice = metaOf('venue') !== 'live'
  return (
    <section>
      <p>{M.choose}</p>
      {wallets.value.length === 0 && <p class="quiet">{M.noWallet}</p>}
      <div class="deciding">
        {wallets.value.map((wallet) => (
          <Approve key={wallet.id} wallet={wallet} write={write} />
        ))}
        <button type="button" disabled={isWorking.value} onClick={() => refuse(write)}>
          {M.refuse}
        </button>
      </div>
      {isWorking.value && <p role="status">{M.working}</p>}
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
      {fill(M.approveWith, { name: wallet.name || M.unnamed })}
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
      {M.practice} <input type="file" disabled={isWorking.value} onChange={choose} />
      <p class="quiet">{M.practiceWhy}</p>
    </label>
  )
}
