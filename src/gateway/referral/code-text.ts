import { REFERRAL_CODE, RESERVED_CODES } from '../../contract/referral.ts'

/** A code as it is checked, sent and answered: trimmed and upper-cased. */
export function normalCode(text: string): string {
  return text.trim().toUpperCase()
}

/** The reason why nobody may claim a normal code; null when there is none. `reserved` includes the service's name. */
export function codeFault(code: string, serviceName: string): 'format' | 'reserved' | null {
  if (!REFERRAL_CODE.claim.test(code)) return 'format'
  return RESERVED_CODES.includes(code) || code === nameAsCode(serviceName) ? 'reserved' : null
}

/** Whether a code has the form in which codes are looked up: 1 to 32 letters, digits, underscores or hyphens. */
export function isLookUpCode(code: string): boolean {
  return REFERRAL_CODE.lookUp.test(code)
}

// Codes have no hyphens; without them a name reads the same and must not go to somebody else.
function nameAsCode(serviceName: string): string {
  return serviceName.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
