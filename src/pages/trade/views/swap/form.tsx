import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { filledTemplate } from '../../../common/format.ts'
import { SWAP_TEXTS } from '../../messages/swap.ts'
import {
  preference,
  problem,
  type SwapSide,
  sides,
  slippageInput,
  swapAmountInput,
  swapChainList,
  swapSides,
} from '../../swap/choice.ts'
import { NumberField, Segments } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure } from '../parts/reading.tsx'

/** The form for the tokens to give and receive, and the maximum slippage. */
export function SwapForm() {
  return (
    <Panel title={SWAP_TEXTS.title} heading={null}>
      <SideFields title={SWAP_TEXTS.give} side={sides.give}>
        <NumberField
          label={SWAP_TEXTS.amount}
          input={swapAmountInput}
          suffix={sides.give.token.value?.symbol ?? ''}
        />
      </SideFields>
      <p class="row">
        <button type="button" onClick={swapSides}>
          ⇅ {SWAP_TEXTS.flip}
        </button>
      </p>
      <SideFields title={SWAP_TEXTS.receive} side={sides.receive} />
      <NumberField label={SWAP_TEXTS.slippage} input={slippageInput} suffix="%" />
      <Segments
        label={SWAP_TEXTS.best}
        kind="periods"
        options={SWAP_TEXTS.preferences}
        chosen={preference}
      />
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
        {SWAP_TEXTS.chain}
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
          {SWAP_TEXTS.search}
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
        {SWAP_TEXTS.token}
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
        <p class="quiet">
          {filledTemplate(SWAP_TEXTS.shown, { count: tokens.value.length, total: total.value })}
        </p>
      )}
      {search.value && read.reading.value.data !== null && tokens.value.length === 0 && (
        <p class="quiet">{SWAP_TEXTS.noToken}</p>
      )}
      <ReadFailure read={read} />
    </>
  )
}
