import type { State } from './state.ts'

/** Topics of the account whose key was proved. */
const PRIVATE: ReadonlySet<string> = new Set(['orders', 'fills', 'positions', 'balances'])

/** Whether a topic is of the account. */
export function isPrivate(topic: string): boolean {
  return PRIVATE.has(topic)
}

const SYNC_MS = 150

/** Asks for what is wanted in a moment: what changes together goes out together. */
export function syncSoon(state: State): void {
  state.cancelSync ??= state.after(SYNC_MS, () => {
    state.cancelSync = null
    sync(state)
  })
}

/** Asks for what is wanted and gives up what is not, in as few messages as there are kinds. */
function sync({ isOpen, wire, asked, told, ...state }: State): void {
  if (!isOpen || !wire) return
  const wanted = wantedBy(state)
  const dropped = [...asked].filter((topic) => !wanted.has(topic))
  const added = [...wanted].filter((topic) => !asked.has(topic))
  for (const topic of dropped) {
    asked.delete(topic)
    told.leave(topic)
  }
  for (const topic of added) asked.add(topic)
  if (dropped.length > 0) wire.send({ op: 'unsubscribe', topics: dropped })
  if (added.length === 0) return
  const since = added.flatMap((topic) => {
    const place = told.sinceOf(topic)
    return place ? [[topic, place] as const] : []
  })
  wire.send({ op: 'subscribe', topics: added, since: Object.fromEntries(since) })
}

function wantedBy(state: Pick<State, 'lines' | 'isHidden' | 'isProved' | 'refused' | 'nowMs'>) {
  const wanted = new Set<string>()
  if (state.isHidden()) return wanted
  for (const { topic } of state.lines) {
    for (const name of topic.live?.topics ?? []) {
      const isRefused = (state.refused.get(name) ?? 0) > state.nowMs()
      if (!isRefused && (state.isProved || !isPrivate(name))) wanted.add(name)
    }
  }
  return wanted
}

/** Proves the key of whoever listens, if anybody does. */
export async function prove(state: State): Promise<void> {
  const { wire } = state
  const proof = await state.prove?.().catch(() => null)
  if (proof && wire && wire === state.wire) wire.send({ op: 'auth', ...proof })
}
