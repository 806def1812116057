import { signal } from '@preact/signals'
import type { ConsoleAction, ConsoleFigures } from '../../spec/console/figures.ts'
import { dayTime } from '../common/format.ts'
import { Pairs } from '../common/pairs.tsx'
import { M } from './messages.ts'
import { act, operatorKey, outcome } from './state.ts'
import { Panel } from './tables.tsx'

/** The action that was asked for once and wants to be asked for again. */
const armed = signal<ConsoleAction | null>(null)

/** The few things an operator can do from here, with the key. */
export function Actions({ found }: { readonly found: ConsoleFigures }) {
  const { venue, canAct } = found
  return (
    <Panel title={M.act.title}>
      {venue.kind === 'embedded' && (
        <Pairs rows={[[M.clock.title, venue.isVirtual ? dayTime(venue.nowMs) : M.clock.real]]} />
      )}
      {canAct ? <Form found={found} /> : <p class="inset quiet">{M.act.none}</p>}
      <p class="inset" role="status">
        {outcome.value}
      </p>
    </Panel>
  )
}

function Form({ found }: { readonly found: ConsoleFigures }) {
  return (
    <form class="inset" autocomplete="off" onSubmit={(event) => event.preventDefault()}>
      <label>
        {M.act.key}{' '}
        <input
          type="password"
          autocomplete="off"
          maxLength={512}
          value={operatorKey.value}
          onInput={(event) => {
            operatorKey.value = event.currentTarget.value
          }}
        />
      </label>
      <p class="quiet">{M.act.keyWhy}</p>
      <div class="buttons">
        {possible(found).map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            disabled={operatorKey.value === ''}
            onClick={() => press(action)}
          >
            {armed.value === action ? M.act.sure : M.act[action]}
          </button>
        ))}
      </div>
    </form>
  )
}

function possible({ venue, vouchers }: ConsoleFigures): readonly ConsoleAction[] {
  const pausing = vouchers?.isPaused ? 'resume-vouchers' : 'pause-vouchers'
  return [
    ...(vouchers ? ([pausing] as const) : []),
    ...(venue.isVirtual ? (['advance-clock'] as const) : []),
    'purge-cache',
  ]
}

function press(action: ConsoleAction): void {
  if (armed.peek() !== action) {
    armed.value = action
    return
  }
  armed.value = null
  void act(action)
}
