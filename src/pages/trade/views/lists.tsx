import type { ApiFailure } from '../../common/api.ts'
import { isSessionKnown, keyState, session } from '../account/session.ts'
import {
  conditionals,
  heldPositions,
  LISTS,
  type ListName,
  openList,
  orders,
} from '../account/state.ts'
import { STALE_MS } from '../feed/feed.ts'
import { failureMessage } from '../messages/failure-messages.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { accountViews } from './load-account.ts'
import { Stale } from './parts/dialog.tsx'

/** The account's positions, orders, history and balances. */
export function Lists() {
  const counts: Partial<Record<ListName, number>> = {
    positions: heldPositions.value.length,
    orders: orders.value.length,
    conditional: conditionals.value.length,
  }
  const view = accountViews.value?.lists[openList.value]
  return (
    <section class="panel lists" aria-label={PAGE_TEXTS.lists.label}>
      <div class="head">
        <fieldset class="choices" aria-label={PAGE_TEXTS.lists.label}>
          {LISTS.map((name) => (
            <button
              key={name}
              type="button"
              class="plain"
              data-list={name}
              aria-pressed={openList.value === name}
              onClick={() => {
                openList.value = name
              }}
            >
              {PAGE_TEXTS.lists[name]}
              {counts[name] ? <b class="count">{counts[name]}</b> : null}
            </button>
          ))}
        </fieldset>
        <span class="end">
          {keyState.value === 'active' && view && (
            <>
              <Stale
                reading={view.reading.value}
                afterMs={STALE_MS[openList.value === 'conditional' ? 'conditional' : 'account']}
              />
              {view.All && <view.All />}
            </>
          )}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        <Open name={openList.value} />
      </div>
    </section>
  )
}

function Open({ name }: { readonly name: ListName }) {
  if (!session.value && name !== 'balances')
    return (
      <p class="empty">
        {isSessionKnown.value ? PAGE_TEXTS.lists.nobody : PAGE_TEXTS.lists.waiting}
      </p>
    )
  const view = accountViews.value?.lists[name]
  if (!view) return <p class="empty">{PAGE_TEXTS.lists.waiting}</p>
  const { reading, Rows } = view
  const { data, failure } = reading.value
  return (
    <>
      {failure && keyState.value === 'active' && <Trouble failure={failure} />}
      {data === null && !failure && keyState.value === 'active' && (
        <p class="empty">{PAGE_TEXTS.lists.waiting}</p>
      )}
      <Rows isKnown={data !== null} />
    </>
  )
}

function Trouble({ failure }: { readonly failure: ApiFailure }) {
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice inset">
      {text} {next}
    </p>
  )
}
