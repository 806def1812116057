import { isSessionKnown, session } from '../account/session.ts'
import {
  conditionals,
  heldPositions,
  LISTS,
  type ListName,
  openList,
  orders,
} from '../account/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { accountViews } from './load-account.ts'

/** The account's positions, orders, history and balances. */
export function Lists() {
  const counts: Partial<Record<ListName, number>> = {
    positions: heldPositions.value.length,
    orders: orders.value.length,
    conditional: conditionals.value.length,
  }
  const { value: views } = accountViews
  const view = views?.lists[openList.value]
  const isClosed = !session.value && openList.value !== 'balances'
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
        {views && view && <views.ListBar view={view} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        {views && view && !isClosed ? (
          <views.OpenList view={view} />
        ) : (
          <p class="empty">
            {PAGE_TEXTS.lists[isClosed && isSessionKnown.value ? 'nobody' : 'waiting']}
          </p>
        )}
      </div>
    </section>
  )
}
