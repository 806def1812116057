import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { agreeOnSigner, type SigningPeer } from '../../../src/store/voucher/signers.ts'

const own = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 })
const step = fc.record({ instance: fc.nat(3), keys: fc.option(own) })

test('whoever comes, goes and asks again, every living instance accepts what each of them signs', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const living = new Map<number, SigningPeer>()
      for (const { instance, keys } of steps) {
        const accepted = keys ?? living.get(instance)?.accepted ?? []
        // An instance has its keys until it ends.
        living.delete(instance)
        const agreement = agreeOnSigner(accepted, [...living.values()])
        if ('signer' in agreement) living.set(instance, { signer: agreement.signer, accepted })
        const all = [...living.values()]
        for (const { signer } of all)
          for (const peer of all) expect(peer.accepted).toContain(signer)
      }
    }),
  )
})

test('the first key signs once all have it, and a peer with a foreign key is named', () => {
  const before: SigningPeer = { signer: 'old', accepted: ['old'] }
  const between: SigningPeer = { signer: 'old', accepted: ['new', 'old'] }
  expect(agreeOnSigner(['new', 'old'], [])).toEqual({ signer: 'new' })
  expect(agreeOnSigner(['new', 'old'], [between])).toEqual({ signer: 'new' })
  expect(agreeOnSigner(['new', 'old'], [between, before])).toEqual({ signer: 'old' })
  expect(agreeOnSigner(['new'], [between])).toEqual({ conflict: 'old' })
  expect(agreeOnSigner(['old'], [{ signer: 'new', accepted: ['new', 'old'] }])).toEqual({
    conflict: 'new',
  })
})
