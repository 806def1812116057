import { effect, signal } from '@preact/signals'
import { session } from '../account/session.ts'
import { openList } from '../account/state.ts'
import { tellFailure } from '../notes.ts'

type Desk = typeof import('./desk/desk.tsx')['DESK']

/** What needs an open account; null until there is one, and what it takes has come. */
export const desk = signal<Desk | null>(null)

effect(() => {
  const isWanted = session.value !== null || openList.value === 'balances'
  if (!isWanted || desk.peek()) return
  import('./desk/desk.tsx').then(({ DESK }) => {
    desk.value = DESK
  }, tellFailure)
})
