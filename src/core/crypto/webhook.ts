import { createHmac } from 'node:crypto'

/**
 * The header that signs a webhook, as the Standard Webhooks specification has it: HMAC-SHA256 over the id of the message,
 * the time of the attempt in seconds and the body.
 */
export function webhookSignature(
  secret: Uint8Array,
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
