import { createHmac } from 'node:crypto'

/**
 * The signature header of a webhook by the Standard Webhooks specification: HMAC-SHA256 over the message's id, the
 * attempt's time in seconds and the body.
 */
export function webhookSignature(
  secret: Uint8Array,
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
