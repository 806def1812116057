import { useRef } from 'preact/hooks'
import { type PrivateCall, type StampedCall, stamp, textToSign } from '../../account/relay.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { isTextOld } from '../../orders/question.ts'

/** The exact text to sign, collapsed. */
export function SignedText({ call }: { readonly call: StampedCall }) {
  return (
    <details>
      <summary>{ACCOUNT_TEXTS.confirm.bytes}</summary>
      <pre class="bytes">{textToSign(call)}</pre>
    </details>
  )
}

/** The call of a form with its signing time, which is renewed when the call changes or the time is too old. */
export function useStamped(call: PrivateCall | null): StampedCall | null {
  const kept = useRef<StampedCall | null>(null)
  const { current } = kept
  const isSame = call?.method === current?.method && call?.body === current?.body
  if (!current || !isSame || isTextOld(current)) kept.current = call && stamp(call)
  return kept.current
}
