import { describe, expect, test } from 'bun:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { SigningKey } from 'ethers'
import fc from 'fast-check'
import { privateKeyToAddress, sign as signOfViem } from 'viem/accounts'
import {
  isContractSignature,
  recoverSigner,
  signDigest,
  toWalletAddress,
  withRecovery,
} from '../../../src/core/crypto/wallet-signature.ts'
import { toHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'
import vectors from '../../vectors/typed-data.json'

const ORDER = secp256k1.Point.Fn.ORDER
const secret = Uint8Array.fromHex(vectors.wallet.secret)
const digest = Uint8Array.fromHex(vectors.registration.digest.slice(2))
const { signature } = vectors.registration

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const secrets = bytes32.filter((bytes) => secp256k1.utils.isValidSecretKey(bytes))

/** The signature with its last byte, v, replaced. */
const withV = (v: number) => signature.slice(0, -2) + v.toString(16).padStart(2, '0')

describe('recovery', () => {
  test.each([
    ['registration', vectors.registration],
    ['key binding', vectors.binding],
  ])('the wallet that signed a %s is found', (_, signed) => {
    const signer = recoverSigner(Uint8Array.fromHex(signed.digest.slice(2)), signed.signature)
    expect(signer).toBe(vectors.wallet.address)
  })

  test('v may be 0 or 1 instead of 27 or 28, and hex may be in any case', () => {
    expect(signature.endsWith('1c')).toBe(true)
    expect(recoverSigner(digest, withV(1))).toBe(vectors.wallet.address)
    expect(recoverSigner(digest, `0x${signature.slice(2).toUpperCase()}`)).toBe(
      vectors.wallet.address,
    )
  })

  test('another parity, digest or bit is somebody else', () => {
    expect(recoverSigner(digest, withV(27))).not.toBe(vectors.wallet.address)
    expect(recoverSigner(digest, withV(27))).toBe(recoverSigner(digest, withV(0)))
    const other = Uint8Array.fromHex(vectors.binding.digest.slice(2))
    expect(recoverSigner(other, signature)).not.toBe(vectors.wallet.address)
  })

  test('the second spelling, with a high s, is refused though it recovers', () => {
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const highS = (ORDER - s).toString(16).padStart(64, '0')
    const twin = `${signature.slice(0, 66)}${highS}1b`
    const recovered = secp256k1.Signature.fromHex(`00${twin.slice(2, 130)}`, 'recovered')
    const compressed = secp256k1.getPublicKey(secret, true)
    expect(recovered.recoverPublicKey(digest).toBytes()).toEqual(compressed)
    expect(recoverSigner(digest, twin)).toBeNull()
  })

  const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)]
  const [zero, order] = ['0'.repeat(64), ORDER.toString(16)]
  test.each([
    ['nothing', ''],
    ['only 0x', '0x'],
    ['no 0x', signature.slice(2)],
    ['64 bytes, the compact form of ERC-2098', `0x${r}${s}`],
    ['66 bytes', `${signature}00`],
    ['half a byte more', `${signature}0`],
    ['an alien character', `${signature.slice(0, -1)}g`],
    ['a line feed behind', `${signature}\n`],
    ['v of 2', withV(2)],
    ['v of 26', withV(26)],
    ['v of 29', withV(29)],
    ['v of a transaction (EIP-155)', withV(37)],
    ['r of zero', `0x${zero}${s}1b`],
    ['s of zero', `0x${r}${zero}1b`],
    ['r of the group order', `0x${order}${s}1b`],
    ['s of the group order', `0x${r}${order}1b`],
    ['r that is on no point', `0x${'5'.padStart(64, '0')}${s}1b`],
    ['endless hex', `0x${'00'.repeat(100_000)}`],
  ])('%s recovers nobody', (_, text) => {
    expect(recoverSigner(digest, text)).toBeNull()
  })

  test('anything at all is an address or null', () => {
    const spelled = fc.uint8Array({ minLength: 65, maxLength: 65 }).map((bytes) => {
      bytes.set([27], 64)
      return `0x${toHex(bytes)}`
    })
    fc.assert(
      fc.property(fc.oneof(spelled, fc.string()), (text) => {
        expect(recoverSigner(digest, text) ?? vectors.wallet.address).toMatch(/^0x[0-9a-f]{40}$/)
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('the compact form of EIP-2098', () => {
  // The vectors of EIP-2098 itself.
  test.each([
    [
      '0x68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90',
      '7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064',
      '7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064',
      '1b',
    ],
    [
      '0x9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76',
      '139c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793',
      '939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793',
      '1c',
    ],
  ])('%s %s has both forms', (r, s, compact, v) => {
    expect(withRecovery(r + compact)).toBe(`${r}${s}${v}`)
  })

  test('recovers the wallet, and every other text stays as it is', () => {
    fc.assert(
      fc.property(secrets, bytes32, (anySecret, hash) => {
        const signed = signDigest(hash, anySecret)
        const high =
          BigInt(`0x${signed.slice(66, 130)}`) | (signed.endsWith('1c') ? 1n << 255n : 0n)
        const compact = signed.slice(0, 66) + high.toString(16).padStart(64, '0')
        expect(withRecovery(compact)).toBe(signed)
        expect(recoverSigner(hash, withRecovery(compact))).toBe(toWalletAddress(anySecret))
      }),
      { numRuns: runs(20) },
    )
    for (const text of ['', '0x', signature, `${signature}00`, signature.slice(2)])
      expect(withRecovery(text)).toBe(text)
  })

  test('a signature of more than 65 bytes is of a contract, and no other text', () => {
    expect(isContractSignature(`${signature}00`)).toBe(true)
    for (const text of ['', signature, signature.slice(0, -2), `${signature}\n`, 'x'.repeat(200)])
      expect(isContractSignature(text)).toBe(false)
  })
})

describe('signing', () => {
  test('the test wallet has its known address and signs as the vector says', () => {
    expect(toWalletAddress(secret)).toBe(vectors.wallet.address)
    expect(signDigest(digest, secret)).toBe(signature)
  })

  test('ethers and viem sign the same digest with the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, bytes32, async (anySecret, hash) => {
        const privateKey = `0x${toHex(anySecret)}` as const
        const ours = signDigest(hash, anySecret)
        expect(new SigningKey(privateKey).sign(hash).serialized).toBe(ours)
        const theirs = await signOfViem({ hash: `0x${toHex(hash)}`, privateKey, to: 'hex' })
        expect(theirs).toBe(`0x${ours.slice(2)}`)
        expect(toWalletAddress(anySecret)).toBe(privateKeyToAddress(privateKey).toLowerCase())
        expect(recoverSigner(hash, ours)).toBe(toWalletAddress(anySecret))
      }),
      { numRuns: runs(20) },
    )
  })

  test.each([
    ['zero', new Uint8Array(32)],
    ['the group order', Uint8Array.fromHex(ORDER.toString(16))],
    ['31 bytes', new Uint8Array(31).fill(1)],
    ['33 bytes', new Uint8Array(33).fill(1)],
  ])('%s is no secret', (_, bytes) => {
    expect(() => toWalletAddress(bytes)).toThrow()
    expect(() => signDigest(digest, bytes)).toThrow()
  })
})
