import { G } from '../../messages/working.ts'
import { leave, step } from '../../money/flow.ts'
import { Waiting } from '../parts/waiting.tsx'

/** What is waited for until the wallet has agreed, or why it stopped. */
export function Working() {
  const { value } = step
  if (value.at === 'working')
    return (
      <p class="notice" role="status">
        {value.waitUntilMs > 0 ? <Waiting untilMs={value.waitUntilMs} /> : value.text}{' '}
        <button type="button" class="link" onClick={leave}>
          {G.stop}
        </button>
      </p>
    )
  if (value.at !== 'stopped') return null
  return (
    <p class="notice" role="alert">
      {value.text} {value.next}
    </p>
  )
}
