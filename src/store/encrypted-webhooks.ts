import type { TextEncryption } from '../core/crypto/text-encryption.ts'
import type { WebhookStore } from '../core/webhook.ts'

const PAGE_ROWS = 500

/** Wraps a webhook store so that it stores secrets encrypted. `take` returns an empty secret if no key decrypts it. */
export function encryptedWebhooks(
  webhooks: WebhookStore,
  { encrypt, decrypt }: TextEncryption,
): WebhookStore {
  return {
    ...webhooks,
    add: (webhook, rowsMax) =>
      webhooks.add({ ...webhook, secret: encrypt(webhook.secret, webhook.id) }, rowsMax),
    take: async (...given) =>
      (await webhooks.take(...given)).map(({ webhook, ...message }) => {
        const secret = decrypt(webhook.secret, webhook.id) ?? ''
        return { ...message, webhook: { ...webhook, secret } }
      }),
  }
}

/**
 * Re-encrypts stored secrets with the newest key. Returns their number. Secrets that cannot be decrypted stay
 * unchanged. Throws Failure `store_unavailable`; secrets that were re-encrypted before the error stay so.
 */
export async function encryptStoredSecrets(
  { secrets, replaceSecret }: WebhookStore,
  { renew }: TextEncryption,
): Promise<number> {
  let [count, afterId] = [0, '']
  for (;;) {
    const page = await secrets(afterId, PAGE_ROWS)
    for (const { id, secret } of page) {
      const next = renew(secret, id)
      if (next === secret) continue
      await replaceSecret({ id, secret, next })
      count += 1
    }
    if (page.length < PAGE_ROWS) return count
    afterId = page.at(-1)?.id ?? ''
  }
}
