import { expect, test } from 'bun:test'
import { webhookSignature } from '../../../src/core/crypto/webhook.ts'

test('the signature is that of the example in the specification of Standard Webhooks', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const message = {
    id: 'msg_loFOjxBNrRLzqYUf',
    seconds: 1_731_705_121,
    body: '{"event_type":"ping"}',
  }
  const signature = webhookSignature(secret, message)
  expect(signature).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
  expect(
    webhookSignature(secret, {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      seconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    }),
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  expect(webhookSignature(secret, { ...message, seconds: message.seconds + 1 })).not.toBe(signature)
})
