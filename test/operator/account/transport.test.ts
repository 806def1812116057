import { expect, test } from 'bun:test'
import { retryingTransport } from '../../../src/operator/account/transport.ts'

function harness(answers: Response[]) {
  const bodies: string[] = []
  const waits: number[] = []
  const waitsShown: number[] = []
  const transport = retryingTransport({
    transport: async (request) => {
      bodies.push(await request.text())
      return answers[bodies.length - 1] ?? new Response('ok')
    },
    onWait: (seconds) => void waitsShown.push(seconds),
    sleep: async (ms) => void waits.push(ms),
  })
  return { transport, bodies, waits, waitsShown }
}

const busy = (seconds: string) =>
  new Response('', { status: 429, headers: { 'retry-after': seconds } })

test('only the request that was refused is sent again, with the body it had', async () => {
  const { transport, bodies, waits, waitsShown } = harness([busy('6'), busy('1')])
  const request = new Request('http://localhost/', { method: 'POST', body: 'signed' })
  expect(await (await transport(request)).text()).toBe('ok')
  expect(bodies).toEqual(['signed', 'signed', 'signed'])
  expect(waits).toEqual([6000, 1000])
  expect(waitsShown).toEqual([6, 1])
})

test('any other refusal is the answer', async () => {
  const { transport, bodies, waits } = harness([
    new Response('', { status: 503, headers: { 'retry-after': '1' } }),
  ])
  expect((await transport(new Request('http://localhost/'))).status).toBe(503)
  expect([bodies.length, waits.length]).toEqual([1, 0])
})

test('patience ends', async () => {
  const { transport, bodies } = harness(Array.from({ length: 30 }, () => busy('1')))
  expect((await transport(new Request('http://localhost/'))).status).toBe(429)
  expect(bodies).toHaveLength(21)
})
