import { dayTime } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import type { CheckedDocument } from '../../account/document-check.ts'
import { A } from '../../messages/account.ts'
import { C } from '../../messages/connect.ts'
import { M } from '../../messages/page.ts'

type Props = {
  readonly document: CheckedDocument
  readonly onAnswer: (yes: boolean) => void
}

/** The fields of the document that the wallet signs next. */
export function DocumentReview({ document: { kind, fields }, onAnswer }: Props) {
  return (
    <>
      <h3>{C.review[kind]}</h3>
      <Pairs
        rows={fields.map(
          ([name, value]) => [fieldLabel(name), fieldValueText(name, value)] as const,
        )}
      />
      <p class="quiet">{C.checked}</p>
      <p class="row end">
        <button type="button" onClick={() => onAnswer(false)}>
          {M.cancel}
        </button>
        <button type="button" class="primary" onClick={() => onAnswer(true)}>
          {C.sign}
        </button>
      </p>
    </>
  )
}

function fieldLabel(name: string): string {
  return C.fields[name] ?? C.keyField
}

function fieldValueText(name: string, value: string): string {
  if (name === 'timestamp' || name === 'expiration') return dayTime(Number(value))
  return name === 'scope' ? (A.account.scopes[value] ?? value) : value
}
