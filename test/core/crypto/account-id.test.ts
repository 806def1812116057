import { describe, expect, test } from 'bun:test'
import { accountIdOf } from '../../../src/core/crypto/account-id.ts'
import vectors from '../../vectors/account-id.json'

describe('account id', () => {
  test.each(vectors)(
    '$address with $brokerId is $accountId',
    ({ address, brokerId, accountId }) => {
      expect(accountIdOf(address, brokerId)).toBe(accountId)
      expect(accountIdOf(address.toLowerCase(), brokerId)).toBe(accountId)
    },
  )

  test('one wallet has another account with another broker', () => {
    const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    expect(accountIdOf(address, 'demo')).not.toBe(accountIdOf(address, 'demo '))
  })

  test.each(['', '0x', 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266', `0x${'0'.repeat(64)}`])(
    '%j is nobody',
    (address) => {
      expect(() => accountIdOf(address, 'demo')).toThrow(RangeError)
    },
  )
})
