import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTextEncryption } from '../../src/core/crypto/text-encryption.ts'
import { createMeter } from '../../src/core/observing/meter.ts'
import { createAccountWebhooks } from '../../src/operator/notify/account-webhooks.ts'
import { PUBLIC_REACH } from '../../src/operator/notify/public-https.ts'
import { copyData } from '../../src/store/data-copy.ts'
import { encryptedWebhooks, encryptStoredSecrets } from '../../src/store/encrypted-webhooks.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { eventOf, NOW_MS, webhookOf } from './webhook-contract.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const [OLD_KEY, NEW_KEY] = [
  'the operator key before, of 32 characters',
  'the operator key of today',
]

let folder: ReturnType<typeof temporaryFolder>
let store: ReturnType<typeof openSqlite>
beforeEach(() => {
  folder = temporaryFolder()
  store = opened()
})
afterEach(() => {
  store.close()
  folder[Symbol.dispose]()
})

const opened = () => openSqlite(join(folder.path, 'data', 'prepd.sqlite'), NOW_MS)
const encryptionOf = (...keys: readonly string[]) =>
  createTextEncryption(keys, 'test', {
    bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })

/** The secret that a message would be signed with. */
async function takenSecret(...keys: readonly string[]): Promise<string | undefined> {
  const webhooks = encryptedWebhooks(store.webhooks, encryptionOf(...keys))
  const [delivery] = await webhooks.take(NOW_MS, NOW_MS, 1)
  return delivery?.webhook.secret
}

async function addWith(...keys: readonly string[]): Promise<void> {
  const webhooks = encryptedWebhooks(store.webhooks, encryptionOf(...keys))
  expect(await webhooks.add(webhookOf({ secret: SECRET }), 3)).toBe(true)
  await webhooks.publish(eventOf())
}

/** Whether any file of a folder holds the secret as text. */
function isIn(path: string): boolean {
  return readdirSync(path).some((name) => readFileSync(join(path, name)).includes(SECRET))
}

test('neither the files of the store nor those of a backup hold the secret, which signs all the same', async () => {
  await addWith(NEW_KEY)
  const copy = join(folder.path, 'copy')
  await Bun.write(join(copy, 'made'), '')
  await copyData(join(folder.path, 'data'), copy)
  expect(isIn(join(folder.path, 'data'))).toBe(false)
  expect(isIn(copy)).toBe(false)
  expect(await takenSecret(NEW_KEY)).toBe(SECRET)
})

test('a secret that was stored as text is encrypted in its place, and leaves no copy in the file', async () => {
  await addWith()
  expect(await takenSecret()).toBe(SECRET)
  store.close()
  expect(isIn(join(folder.path, 'data'))).toBe(true)
  store = opened()
  expect(await encryptStoredSecrets(store.webhooks, encryptionOf())).toBe(0)
  expect(await encryptStoredSecrets(store.webhooks, encryptionOf(NEW_KEY))).toBe(1)
  expect(await encryptStoredSecrets(store.webhooks, encryptionOf(NEW_KEY))).toBe(0)
  expect(await takenSecret(NEW_KEY)).toBe(SECRET)
  store.close()
  expect(isIn(join(folder.path, 'data'))).toBe(false)
  store = opened()
})

test('a rotated key encrypts the secret anew, after which the key before is not needed', async () => {
  await addWith(OLD_KEY)
  expect(await takenSecret(NEW_KEY, OLD_KEY)).toBe(SECRET)
  expect(await encryptStoredSecrets(store.webhooks, encryptionOf(NEW_KEY, OLD_KEY))).toBe(1)
  expect(await takenSecret(NEW_KEY)).toBe(SECRET)
  expect(await takenSecret(OLD_KEY)).toBe('')
})

test('a secret that no key decrypts, was changed or is another webhook’s is empty, and stays as it is stored', async () => {
  await addWith(OLD_KEY)
  const [stored] = await store.webhooks.secrets('', 9)
  if (!stored) throw new RangeError('nothing was stored')
  expect(await encryptStoredSecrets(store.webhooks, encryptionOf(NEW_KEY))).toBe(0)
  expect(await takenSecret(NEW_KEY)).toBe('')
  expect(await takenSecret()).toBe('')
  const { decrypt } = encryptionOf(OLD_KEY)
  expect(decrypt(stored.secret, stored.id)).toBe(SECRET)
  expect(decrypt(stored.secret, 'w2')).toBeNull()
  expect(decrypt(stored.secret.slice(0, -8), stored.id)).toBeNull()
  expect(decrypt('aes1:', stored.id)).toBeNull()
})

test('a webhook whose secret no key decrypts is not called, and the list says why', async () => {
  await addWith(OLD_KEY)
  const log = () => undefined
  const deliver = createAccountWebhooks({
    store: { webhooks: encryptedWebhooks(store.webhooks, encryptionOf(NEW_KEY)) },
    clock: { nowMs: () => NOW_MS },
    log: { error: log, warn: log, info: log, debug: log },
    meter: createMeter(() => 0),
    reach: PUBLIC_REACH,
  })
  await deliver()
  const [row] = await store.webhooks.list('account')
  expect(row).toMatchObject({ failure: 'secret_lost', waiting: 1, attempts: 1 })
})
