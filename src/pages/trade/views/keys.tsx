import { useEffect } from 'preact/hooks'
import { keptSwitch } from '../../common/kept.ts'
import { side } from '../orders/draft.ts'
import { kind, showsKeys } from '../orders/switches.ts'
import { SHARES } from './parts/form.tsx'
import { lazyDialog } from './parts/lazy-dialog.tsx'
import { takeShare } from './ticket-fields.tsx'

const KeysDialog = lazyDialog(() => import('./keys-dialog.tsx').then((code) => code.KeysDialog))

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
    <KeysDialog
      isOn={isOn}
      onClose={() => {
        showsKeys.value = false
      }}
    />
  )
}
