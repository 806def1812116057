import type { Signal } from '@preact/signals'
import { Pairs } from '../../common/pairs.tsx'
import { KEY_TEXTS } from '../messages/keys.ts'
import { Dialog } from './parts/dialog.tsx'
import { Checkbox } from './parts/form.tsx'

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

type Props = {
  /** Whether the keys are on. */
  readonly isOn: Signal<boolean>
  readonly onClose: () => void
}

/** The list of the page's keys. */
export function KeysDialog({ isOn, onClose }: Props) {
  return (
    <Dialog title={KEY_TEXTS.title} onClose={onClose}>
      <Pairs rows={LISTED} />
      <p class="quiet">{KEY_TEXTS.why}</p>
      <Checkbox label={KEY_TEXTS.isOn} checked={isOn} />
    </Dialog>
  )
}
