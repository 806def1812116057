import { dayTime } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import type { CheckedDocument } from '../../account/document-check.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { CONNECT_TEXTS } from '../../messages/connect.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'

type Props = {
  readonly document: CheckedDocument
  readonly onAnswer: (yes: boolean) => void
}

/** The fields of the document that the wallet signs next. */
export function DocumentReview({ document: { kind, fields }, onAnswer }: Props) {
  return (
    <>
      <h3>{CONNECT_TEXTS.review[kind]}</h3>
      <Pairs
        rows={fields.map(
          ([name, value]) => [fieldLabel(name), fieldValueText(name, value)] as const,
        )}
      />
      <p class="quiet">{CONNECT_TEXTS.checked}</p>
      <p class="row end">
        <button type="button" onClick={() => onAnswer(false)}>
          {PAGE_TEXTS.cancel}
        </button>
        <button type="button" class="primary" onClick={() => onAnswer(true)}>
          {CONNECT_TEXTS.sign}
        </button>
      </p>
    </>
  )
}

function fieldLabel(name: string): string {
  return CONNECT_TEXTS.fields[name] ?? CONNECT_TEXTS.keyField
}

function fieldValueText(name: string, value: string): string {
  if (name === 'timestamp' || name === 'expiration') return dayTime(Number(value))
  return name === 'scope' ? (ACCOUNT_TEXTS.account.scopes[value] ?? value) : value
}
