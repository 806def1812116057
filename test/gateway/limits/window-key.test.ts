import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { limitKey } from '../../../src/core/client-address.ts'
import { admitAccount } from '../../../src/gateway/limits/admission.ts'
import { unlimited } from '../../../src/gateway/limits/verdict.ts'
import { parseWindowKey } from '../../../src/gateway/limits/window-key.ts'

const address = fc.oneof(fc.ipV4(), fc.ipV6())
const account = fc
  .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 64, maxLength: 64 })
  .map((digits) => `0x${digits.join('')}`)

test('an address names the window that its requests are charged to, and so does that window', () => {
  fc.assert(
    fc.property(address, (text) => {
      const key = limitKey(text)
      expect(parseWindowKey('read', text)).toBe(key)
      expect(parseWindowKey('relay', key)).toBe(key)
      expect(parseWindowKey('read', `malformed:${text}`)).toBe(`malformed:${key}`)
      expect(parseWindowKey('account', key)).toBeNull()
    }),
  )
})

test('every window that a signed call is charged to can be named by its key', async () => {
  await fc.assert(
    fc.asyncProperty(account, address, fc.boolean(), async (accountId, text, isProven) => {
      const charged: string[] = []
      const taken = unlimited('account')
      const limiter = {
        isBlocked: () => false,
        charge: () => taken,
        take: (_policy: string, key: string) => {
          charged.push(key)
          return taken
        },
      }
      const signed = { accountId, key: 'ed25519:key' }
      const proofs = { has: async () => isProven }
      await admitAccount(limiter, proofs, 'account', signed, limitKey(text))
      expect(charged.map((key) => parseWindowKey('account', key))).toEqual(charged)
      expect(parseWindowKey('account', accountId)).toBe(`account:${accountId.toLowerCase()}`)
      expect(parseWindowKey('read', accountId)).toBeNull()
    }),
  )
})

test.each(['', 'localhost', '1.2.3', '1.2.3.4/24', '::1/128', '1::2::/64', '2001:db8::1::/64'])(
  'no window has the key %p',
  (text) => {
    expect(parseWindowKey('read', text)).toBeNull()
    expect(parseWindowKey('account', text)).toBeNull()
  },
)
