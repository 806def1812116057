import { REFERRAL_CODE, RESERVED_CODES } from '../../contract/referral.ts'

/** The normal form of a code: trimmed and in upper case. */
export function normalCode(text: string): string {
  return text.trim().toUpperCase()
}

/** The reason why a normal code cannot be claimed, or null. `reserved` includes the service's name. */
export function codeFault(code: string, serviceName: string): 'format' | 'reserved' | null {
  if (!REFERRAL_CODE.claim.test(code)) return 'format'
  return RESERVED_CODES.includes(code) || code === nameAsCode(serviceName) ? 'reserved' : null
}

/** Whether a code can be looked up: 1 to 32 letters, digits, underscores or hyphens. */
export function isLookUpCode(code: string): boolean {
  return REFERRAL_CODE.lookUp.test(code)
}

// The service's name in the form of a code. Codes have no hyphens; without hyphens, the name still looks like the
// service's name.
function nameAsCode(serviceName: string): string {
  return serviceName.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
