import { REFERRAL_CODE, RESERVED_CODES } from '../../contract/referral.ts'

/** A code as it is checked, sent and answered: trimmed and upper-cased. */
export function normalCode(text: string): string {
  return text.trim().toUpperCase()
}

/** The reason why a normal code cannot be claimed, or null. `reserved` includes the service's name. */
export function codeFault(code: string, serviceName: string): 'format' | 'reserved' | null {
  if (!REFERRAL_CODE.claim.test(code)) return 'format'
  return RESERVED_CODES.includes(code) || code === nameAsCode(serviceName) ? 'reserved' : null
}

/** Whether a code has the form in which codes are looked up: 1 to 32 letters, digits, underscores or hyphens. */
export function isLookUpCode(code: string): boolean {
  return REFERRAL_CODE.lookUp.test(code)
}

// Codes have no hyphens. A name without its hyphens reads the same, so its code is reserved.
function nameAsCode(serviceName: string): string {
  return serviceName.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
