import { Pairs } from '../../../common/pairs.tsx'
import { question, shownBytes } from '../../orders/confirm.ts'
import { asksFirst } from '../../orders/switches.ts'
import { D } from '../../words/desk.ts'
import { W } from '../../words/words.ts'
import { Check } from '../form.tsx'
import { Dialog } from '../parts.tsx'

/** Shows what is about to be signed, to the byte. */
export function ConfirmDialog() {
  const { value } = question
  if (!value) return null
  return (
    <Dialog key={value.call.timestamp} title={value.title} onClose={() => value.answer(false)}>
      <Pairs rows={value.rows} />
      <h3>{D.confirm.bytes}</h3>
      <pre class="bytes">{shownBytes(value)}</pre>
      <Check label={D.confirm.always} checked={asksFirst} />
      <p class="row end">
        <button type="button" onClick={() => value.answer(false)}>
          {W.cancel}
        </button>
        <button type="button" class="primary" onClick={() => value.answer(true)}>
          {D.confirm.sign}
        </button>
      </p>
    </Dialog>
  )
}
