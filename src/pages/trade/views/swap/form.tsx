import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { fill } from '../../../common/format.ts'
import { S } from '../../messages/swap.ts'
import {
  flip,
  preference,
  problem,
  type SwapSide,
  sides,
  slippageInput,
  swapAmountInput,
  swapChainList,
} from '../../swap/choice.ts'
import { NumberField, Segments } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure } from '../parts/reading.tsx'

/** The form for the tokens to give and receive, and the maximum slippage. */
export function SwapForm() {
  return (
    <Panel title={S.title} heading={null}>
      <SideFields title={S.give} side={sides.give}>
        <NumberField
          label={S.amount}
          input={swapAmountInput}
          suffix={sides.give.token.value?.symbol ?? ''}
        />
      </SideFields>
      <p class="row">
        <button type="button" onClick={flip}>
          ⇅ {S.flip}
        </button>
      </p>
      <SideFields title={S.receive} side={sides.receive} />
      <NumberField label={S.slippage} input={slippageInput} suffix="%" />
      <Segments label={S.best} kind="periods" options={S.preferences} chosen={preference} />
      <p class="quiet" role="status">
        {swapAmountInput.value && problem.value}
      </p>
    </Panel>
  )
}

type SideProps = {
  readonly title: string
  readonly side: SwapSide
  readonly children?: ComponentChildren
}

function SideFields({ title, side, children }: SideProps) {
  const id = useId()
  return (
    <fieldset class="side-fields" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <label class="field">
        {S.chain}
        <select
          value={side.chainId.value}
          onChange={(event) => {
            side.search.value = ''
            side.chosen.value = { chainId: Number(event.currentTarget.value), token: null }
          }}
        >
          {swapChainList.value.map(({ id: chainId, name }) => (
            <option key={chainId} value={chainId}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TokenChoice side={side} />
      {children}
    </fieldset>
  )
}

function TokenChoice({ side }: Pick<SideProps, 'side'>) {
  const { tokens, token, total, search, chainId, chosen, read } = side
  const listed = tokens.value.some(({ address }) => address === token.value?.address)
  const options = token.value && !listed ? [token.value, ...tokens.value] : tokens.value
  const hasMore = total.value > tokens.value.length
  return (
    <>
      {(hasMore || search.value) && (
        <label class="field">
          {S.search}
          <input
            type="search"
            maxLength={64}
            value={search.value}
            onChange={(event) => {
              search.value = event.currentTarget.value
            }}
          />
        </label>
      )}
      <label class="field">
        {S.token}
        <select
          value={token.value?.address ?? ''}
          onChange={(event) => {
            const wanted = event.currentTarget.value
            const found = options.find(({ address }) => address === wanted) ?? null
            chosen.value = { chainId: chainId.peek(), token: found }
          }}
        >
          {options.map(({ address, symbol, name }) => (
            <option key={address} value={address}>
              {symbol} {name && name !== symbol && `· ${name}`}
            </option>
          ))}
        </select>
      </label>
      {hasMore && (
        <p class="quiet">{fill(S.shown, { count: tokens.value.length, total: total.value })}</p>
      )}
      {search.value && read.reading.value.data !== null && tokens.value.length === 0 && (
        <p class="quiet">{S.noToken}</p>
      )}
      <ReadFailure read={read} />
    </>
  )
}
