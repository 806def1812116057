import { effect, signal } from '@preact/signals'
import { session } from '../account/session.ts'
import { openList } from '../account/state.ts'
import { tellFailure } from '../messages/notices.ts'

type Desk = typeof import('./account/views.tsx')['DESK']

/** What needs an open account; null until there is one, and what it takes has come. */
export const desk = signal<Desk | null>(null)

async function load(): Promise<Desk> {
  const { DESK } = await import('./account/views.tsx')
  desk.value = DESK
  return DESK
}

/** Does something at the desk, once it has come; undefined when it cannot be had, which is told. */
export async function withDesk<T>(work: (desk: Desk) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(desk.peek() ?? (await load()))
  } catch (error) {
    tellFailure(error)
    return undefined
  }
}

effect(() => {
  const isWanted = session.value !== null || openList.value === 'balances'
  if (isWanted && !desk.peek()) load().catch(tellFailure)
})
