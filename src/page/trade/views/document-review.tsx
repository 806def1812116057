import { dayTime } from '../../common/format.ts'
import { Pairs } from '../../common/pairs.tsx'
import type { CheckedDocument } from '../account/document-check.ts'
import { C } from '../words/connect.ts'
import { D } from '../words/desk.ts'
import { W } from '../words/words.ts'

type Props = {
  readonly document: CheckedDocument
  readonly onAnswer: (yes: boolean) => void
}

/** The fields of what the wallet signs next, in words. */
export function DocumentReview({ document: { kind, fields }, onAnswer }: Props) {
  return (
    <>
      <h3>{C.review[kind]}</h3>
      <Pairs rows={fields.map(([name, value]) => [labelOf(name), shownOf(name, value)] as const)} />
      <p class="quiet">{C.checked}</p>
      <p class="row end">
        <button type="button" onClick={() => onAnswer(false)}>
          {W.cancel}
        </button>
        <button type="button" class="primary" onClick={() => onAnswer(true)}>
          {C.sign}
        </button>
      </p>
    </>
  )
}

function labelOf(name: string): string {
  return C.fields[name] ?? C.keyField
}

function shownOf(name: string, value: string): string {
  if (name === 'timestamp' || name === 'expiration') return dayTime(Number(value))
  return name === 'scope' ? (D.account.scopes[value] ?? value) : value
}
