// Slow: the executable waits for a collector that never answers until its deadline.
import { afterEach, describe, expect, test, vi } from 'bun:test'
import { TRACING } from '../../src/contract/operator/process.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { startCollector } from './collector.ts'
import { linesOf } from './lines.ts'

afterEach(() => void vi.useRealTimers())

/** The counts of spans on the metrics page by what became of them. */
async function outcomesOf(target: Target): Promise<Record<string, number>> {
  const page = await (await target.ops('/metrics')).text()
  const found = page.matchAll(/^prepd_trace_spans_total\{outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries(
    Array.from(found, ([, outcome = '', count]) => [outcome, Number(count)]),
  )
}

describe.each(USUAL_KINDS)('a collector that is away, behind the %s', (kind) => {
  test('costs no request, then spans, which are counted, and one line until it is back', async () => {
    let status = 400
    const collector = startCollector(() => status)
    const target = await openTarget(kind, {
      OPS_LISTEN: '127.0.0.1:0',
      LOG_REQUESTS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })
    const ask = async (count: number) => {
      for (let asked = 0; asked < count; asked += 1) {
        const response = await target.fetch('/api/prep/config')
        await response.text()
        expect(response.status).toBe(200)
      }
    }
    await ask(TRACING.batchSpansMax)
    while (((await outcomesOf(target))['failed'] ?? 0) < TRACING.batchSpansMax) await Bun.sleep(20)
    expect(collector.spans).toEqual([])
    status = 200
    await ask(TRACING.batchSpansMax)
    while (((await outcomesOf(target))['exported'] ?? 0) < TRACING.batchSpansMax)
      await Bun.sleep(20)
    expect(await outcomesOf(target)).toMatchObject({ dropped: 0 })
    await target.stop()
    const events = linesOf(target.log()).map(({ event }) => event)
    expect(events.filter((event) => event.startsWith('traces_'))).toEqual([
      'traces_failed',
      'traces_recovered',
    ])
    await collector.stop()
  })
})

test('a collector that never answers holds up neither requests nor the stop, and what finds no room is dropped', async () => {
  const { promise: never, resolve } = Promise.withResolvers<Response>()
  const silent = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => never })
  const target = await openTarget('in process', {
    LOG_REQUESTS: '0',
    LOG: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${silent.port}`,
  })
  const asked = TRACING.queuedSpansMax + 2 * TRACING.batchSpansMax
  // On a slow machine the deadline of a batch would pass meanwhile, and make room.
  vi.useFakeTimers()
  for (let count = 0; count < asked; count += 1) await target.fetch('/api/prep/config')
  const { dropped = 0, exported } = await outcomesOf(target)
  vi.useRealTimers()
  expect(dropped).toBeGreaterThan(0)
  expect(dropped).toBeLessThanOrEqual(2 * TRACING.batchSpansMax)
  expect(exported).toBe(0)
  const stopping = performance.now()
  await target.stop()
  expect(performance.now() - stopping).toBeLessThan(TRACING.flushDeadlineMs + 30_000)
  resolve(new Response())
  await silent.stop(true)
})

test('without a collector nothing of this is loaded', async () => {
  const script = `
    const { openTarget } = await import(${JSON.stringify(new URL('../target.ts', import.meta.url).pathname)})
    const target = await openTarget('in process', JSON.parse(process.argv.at(-1)))
    await (await target.fetch('/api/prep/config')).text()
    await target.stop()
    const loaded = Object.keys(require.cache).filter((path) => path.includes('@opentelemetry'))
    console.log(loaded.length > 0 ? 'loaded' : 'not loaded')
  `
  const printed = async (settings: object) => {
    const child = Bun.spawn([process.execPath, '-e', script, '--', JSON.stringify(settings)])
    return (await new Response(child.stdout).text()).trim()
  }
  const collector = startCollector()
  const answers = [printed({}), printed({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })]
  expect(await Promise.all(answers)).toEqual(['not loaded', 'loaded'])
  expect(collector.spans).not.toEqual([])
  await collector.stop()
})
