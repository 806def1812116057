import { describe, expect, test } from 'bun:test'
import { TypedDataBody } from '../../src/contract/typed-data.ts'
import { RegisterBody, TradingKeyBody } from '../../src/contract/wallet-messages.ts'
import { refusedFor, shown, withMember } from './shape.ts'

const KEY = 'ed25519:FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z'

const WALLET = { signature: `0x${'1b'.repeat(65)}`, address: `0x${'aB'.repeat(20)}` }

const REGISTER: RegisterBody = {
  message: {
    brokerId: 'anything',
    chainId: 42_161,
    timestamp: 1_685_973_017_064,
    registrationNonce: '194528949540',
  },
  ...WALLET,
}

const BIND: TradingKeyBody = {
  message: {
    brokerId: '',
    chainId: 42_161,
    tradingKey: KEY,
    scope: 'read,trading',
    timestamp: 1_685_973_017_064,
    expiration: 1_717_509_017_064,
  },
  ...WALLET,
}

describe('a registration is well formed', () => {
  const cases: [string, unknown][] = [
    ['message.registrationNonce', 194_528_949_540],
    ['message.registrationNonce', '0'],
    ['message.brokerId', ''],
    ['message.brokerId', undefined],
    ['message.chainType', 'EVM'],
    ['message.chainId', 1],
    ['signature', '0x1b'],
    ['extra', 1],
  ]
  for (const [path, member] of cases) {
    test(`with ${path} ${shown(member)}`, () => {
      expect(refusedFor(RegisterBody, withMember(REGISTER, path, member))).toBeUndefined()
    })
  }
})

describe('a registration is refused, naming the parameter', () => {
  const cases: [string, unknown][] = [
    ['message', undefined],
    ['message.brokerId', 1],
    ['message.brokerId', 'x'.repeat(129)],
    ['message.chainId', undefined],
    ['message.chainId', '42161'],
    ['message.chainId', 0],
    ['message.chainId', -1],
    ['message.chainId', 1.5],
    ['message.chainId', 2 ** 53],
    ['message.timestamp', '1685973017064'],
    ['message.timestamp', 0],
    ['message.timestamp', 1e300],
    ['message.registrationNonce', undefined],
    ['message.registrationNonce', ''],
    ['message.registrationNonce', '0x1'],
    ['message.registrationNonce', -1],
    ['message.registrationNonce', 2 ** 53],
    ['message.registrationNonce', '1'.repeat(79)],
    ['signature', undefined],
    ['signature', '0x'],
    ['signature', '1b'],
    ['signature', '0xzz'],
    ['signature', `0x${'1'.repeat(2049)}`],
    ['address', undefined],
    ['address', `0x${'a'.repeat(39)}`],
    ['address', `0x${'a'.repeat(40)}\n`],
  ]
  for (const [path, member] of cases) {
    test(`${path} ${shown(member)}`, () => {
      expect(refusedFor(RegisterBody, withMember(REGISTER, path, member))).toBe(path)
    })
  }
})

describe('a key binding', () => {
  const taken: [string, unknown][] = [
    ['message.scope', 'read'],
    ['message.scope', 'read,trading,asset'],
    ['message.scope', 'read, trading'],
    ['message.scope', 'read , trading'],
    ['message.brokerId', undefined],
    ['message.tradingKey', `ed25519:${'1'.repeat(32)}`],
    ['message.tag', 'desk'],
  ]
  for (const [path, member] of taken) {
    test(`is well formed with ${path} ${shown(member)}`, () => {
      expect(refusedFor(TradingKeyBody, withMember(BIND, path, member))).toBeUndefined()
    })
  }

  const refused: [string, unknown][] = [
    ['message.tradingKey', undefined],
    ['message.tradingKey', KEY.slice('ed25519:'.length)],
    ['message.tradingKey', `${KEY}0`],
    ['message.tradingKey', 'ed25519:'],
    ['message.tradingKey', `ed25519:${'1'.repeat(31)}`],
    ['message.tradingKey', `ed25519:${'1'.repeat(45)}`],
    ['message.tradingKey', '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'],
    ['message.scope', ''],
    ['message.scope', 'read trading'],
    ['message.scope', ' read'],
    ['message.scope', 'read, '],
    ['message.scope', 'read,'],
    ['message.scope', 'a'.repeat(65)],
    ['message.expiration', undefined],
    ['message.expiration', '1717509017064'],
    ['message.expiration', 0],
  ]
  for (const [path, member] of refused) {
    test(`is refused for ${path} ${shown(member)}`, () => {
      expect(refusedFor(TradingKeyBody, withMember(BIND, path, member))).toBe(path)
    })
  }
})

describe('what to sign', () => {
  const { tradingKey, scope, expiration } = BIND.message

  const complete = [
    { kind: 'register', chainId: 1 },
    { kind: 'trading-key', chainId: 1, tradingKey, scope, expiration },
  ]
  for (const body of complete) {
    test(`can be asked for: ${shown(body)}`, () => {
      expect(refusedFor(TypedDataBody, body)).toBeUndefined()
    })
  }

  const incomplete: readonly (readonly [object, string])[] = [
    [{}, 'body'],
    [{ kind: 'register' }, 'chainId'],
    [{ kind: 'Register', chainId: 1 }, 'body'],
    [{ kind: 'withdraw', chainId: 1 }, 'receiver'],
    [{ kind: 'trading-key', chainId: 1 }, 'tradingKey'],
    [{ kind: 'trading-key', chainId: 1, tradingKey: 'secret', scope, expiration }, 'tradingKey'],
    [{ kind: 'registertrading-key', chainId: 1 }, 'body'],
  ]
  for (const [body, parameter] of incomplete) {
    test(`cannot be asked for: ${shown(body)}`, () => {
      expect(refusedFor(TypedDataBody, body)).toBe(parameter)
    })
  }
})
