import { describe, expect, test } from 'bun:test'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import vectors from '../../vectors/account-id.json'

describe('account id', () => {
  test.each(vectors)(
    '$address with $brokerId is $accountId',
    ({ address, brokerId, accountId }) => {
      expect(mainAccountId(address, brokerId)).toBe(accountId)
      expect(mainAccountId(address.toLowerCase(), brokerId)).toBe(accountId)
    },
  )

  test('one wallet has another account with another broker', () => {
    const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    expect(mainAccountId(address, 'demo')).not.toBe(mainAccountId(address, 'demo '))
  })

  test.each(['', '0x', 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266', `0x${'0'.repeat(64)}`])(
    '%j is nobody',
    (address) => {
      expect(() => mainAccountId(address, 'demo')).toThrow(RangeError)
    },
  )
})
