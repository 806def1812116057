import { useEffect } from 'preact/hooks'
import { keptSwitch } from '../../common/kept.ts'
import { Pairs } from '../../common/pairs.tsx'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { side } from '../orders/draft.ts'
import { kind, showsKeys } from '../orders/switches.ts'
import { Dialog } from './parts/dialog.tsx'
import { Checkbox, SHARES } from './parts/form.tsx'
import { takeShare } from './ticket-fields.tsx'

const KEY_TEXTS = TICKET_TEXTS.keys

/** Whether single-key shortcuts are on. Users who dictate, or who press keys accidentally, switch them off. */
const isOn = keptSwitch('keys')

/** The action of each key. */
const ACTS: Readonly<Record<string, () => void>> = {
  b: () => {
    side.value = 'BUY'
  },
  s: () => {
    side.value = 'SELL'
  },
  l: () => {
    kind.value = 'LIMIT'
  },
  m: () => {
    kind.value = 'MARKET'
  },
  ...Object.fromEntries(SHARES.map((share, at) => [String(at + 1), () => takeShare(share)])),
  Enter: () => document.querySelector<HTMLFormElement>('.ticket form')?.requestSubmit(),
  '/': () => document.querySelector<HTMLInputElement>('.markets input')?.focus(),
  '?': () => {
    showsKeys.value = true
  },
}

const LISTED = [
  ['B', KEY_TEXTS.rows.buy],
  ['S', KEY_TEXTS.rows.sell],
  ['L', KEY_TEXTS.rows.limit],
  ['M', KEY_TEXTS.rows.market],
  ['1 2 3 4', KEY_TEXTS.rows.share],
  ['Enter', KEY_TEXTS.rows.review],
  ['Esc', KEY_TEXTS.rows.leave],
  ['/', KEY_TEXTS.rows.search],
  ['?', KEY_TEXTS.rows.help],
] as const

/** Elements that use letter keys themselves: text inputs, and lists that a letter searches. */
const WRITTEN = 'input:not([type=range], [type=checkbox]), textarea, select'

function act(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (!isOn.peek() || ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return
  if (!(target instanceof HTMLElement) || document.querySelector('dialog[open]')) return
  if (target.matches(WRITTEN)) {
    if (key === 'Escape') target.blur()
    return
  }
  // Leaves Enter to a focused button or link, which handles the key itself.
  if (key === 'Enter' && target.matches('button, a')) return
  const found = ACTS[key.length === 1 ? key.toLowerCase() : key]
  if (!found) return
  event.preventDefault()
  found()
}

/** Handles the page's keyboard shortcuts, and lists them on request. */
export function Keys() {
  useEffect(() => {
    document.addEventListener('keydown', act)
    return () => document.removeEventListener('keydown', act)
  }, [])
  if (!showsKeys.value) return null
  return (
    <Dialog
      title={KEY_TEXTS.title}
      onClose={() => {
        showsKeys.value = false
      }}
    >
      <Pairs rows={LISTED} />
      <p class="quiet">{KEY_TEXTS.why}</p>
      <Checkbox label={KEY_TEXTS.isOn} checked={isOn} />
    </Dialog>
  )
}
